// Writes the table of internal/cfn/resourcetype from the database of the npm package
// @aws-cdk/aws-service-spec. "make types" runs it.
//
//   node .ci/types.mjs PACKAGE_DIRECTORY DATE > table.txt
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const [directory, date] = process.argv.slice(2);
const { version, license } = JSON.parse(readFileSync(`${directory}/package.json`));
const { schema } = JSON.parse(gunzipSync(readFileSync(`${directory}/db.json.gz`)));

const names = (members, marks) => Object.entries(members).map(([name, m]) => name + marks(m)).sort().join();
const property = (p) => (p.required ? '!' : '') + (p.causesReplacement === 'yes' ? '*' : '');
const attribute = (a) => ({ array: '[]', integer: '#', number: '#', boolean: '?' })[a.type.type] ?? '';

const ref = ({ primaryIdentifier: id = [], cfnRefIdentifier: given = id }) => (given.length === 1 ? given[0] + (id.length > 1 ? '+' : '') : '');

const types = schema.resource.entities
  .filter((t) => !t.cloudFormationTransform) // others are made of these
  .map((t) => [t.cloudFormationType, ref(t), names(t.properties, property), names(t.attributes, attribute)].join('\t'))
  .sort();

process.stdout.write(`${date}
# The types of CloudFormation: what Ref gives, + as part of an identifier; properties, ! required, * replacing; attributes, [] lists, # numbers, ? booleans.
# Facts from the npm package @aws-cdk/aws-service-spec ${version}, whose licence is ${license}.
# Copyright Amazon.com, Inc. or its affiliates.
${types.join('\n')}
`);
