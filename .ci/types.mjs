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
const attribute = (a) => ({ array: '[]', integer: '#', number: '#', boolean: '?' })[a.type.type] ?? '';

// What a property takes: nothing is said of what takes several forms, or once took another.
const scalars = { string: '=', 'date-time': '=', integer: '#', number: '#', boolean: '?', map: '{' };
const form = (type, number) => {
  if (type.type === 'array') return '[' + form(type.element, number);
  if (type.type === 'tag') return '@' + number('tag');
  if (type.type === 'ref') return '@' + number(type.reference.$ref);
  return scalars[type.type] ?? '';
};
const property = (number) => (p) =>
  (p.required ? '!' : '') + (p.causesReplacement === 'yes' ? '*' : '') + (p.previousTypes ? '' : form(p.type, number));

// Objects that have the same properties are one: they are told apart until no more of them differ.
const objects = new Map(schema.typeDefinition.entities.map((d) => [d.$id, d.properties]));
objects.set('tag', { Key: { type: { type: 'string' } }, Value: { type: { type: 'string' } } });
let kinds = new Map([...objects.keys()].map((id) => [id, '']));
for (let before = 0, after = 1; before !== after; ) {
  const found = new Map();
  kinds = new Map([...objects].map(([id, members]) => {
    const text = names(members, property((of) => kinds.get(of)));
    if (!found.has(text)) found.set(text, found.size);
    return [id, found.get(text)];
  }));
  [before, after] = [after, found.size];
}

// They are numbered, and written, as types need them.
const numbers = new Map();
const needed = [];
const number = (id) => {
  const kind = kinds.get(id);
  if (!numbers.has(kind)) numbers.set(kind, needed.push(id) - 1);
  return numbers.get(kind);
};

const ref = ({ primaryIdentifier: id = [], cfnRefIdentifier: given = id }) => (given.length === 1 ? given[0] + (id.length > 1 ? '+' : '') : '');

const types = schema.resource.entities
  .filter((t) => !t.cloudFormationTransform) // others are made of these
  .sort((a, b) => (a.cloudFormationType < b.cloudFormationType ? -1 : 1))
  .map((t) => [t.cloudFormationType, ref(t), names(t.properties, property(number)), names(t.attributes, attribute)].join('\t'));
const below = [];
for (let i = 0; i < needed.length; i++) below.push('@' + names(objects.get(needed[i]), property(number)).replace(/[!*]/g, ''));

process.stdout.write(`${date}
# The types of CloudFormation: what Ref gives, + as part of an identifier; properties, ! required, * replacing, and what they
# take, = text, # numbers, ? booleans, { objects, @ those that are numbered from 0 at the end, [ lists of the next;
# attributes, [] lists, # numbers, ? booleans.
# Facts from the npm package @aws-cdk/aws-service-spec ${version}, whose licence is ${license}.
# Copyright Amazon.com, Inc. or its affiliates.
${types.join('\n')}
${below.join('\n')}
`);
