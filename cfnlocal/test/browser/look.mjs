// Looks at pages in Chromium and prints what it saw, as JSON: what the console
// said, what axe-core found, whether a script ran that is not the page's, and when
// something was painted first.
//
//   node look.mjs <<<'{"pages": [{"name": …, "url": …, "large": …, "follow": …, "run": […]}], "shots": DIR}'
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const require = createRequire(process.env.TEST_CHROMIUM + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const asked = JSON.parse(readFileSync(0, "utf8"));
const views = [
  { name: "light", colorScheme: "light", viewport: { width: 1200, height: 900 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1200, height: 900 } },
  { name: "narrow", colorScheme: "light", viewport: { width: 390, height: 844 } },
];

const profile = mkdtempSync(join(tmpdir(), "browser-"));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: "/usr/bin/chromium",
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// look sees one page in one way.
async function look(page, view) {
  const seen = { page: page.name, view: view.name, console: [], requests: [], violations: [], ran: [] };
  const tab = await browser.newPage();
  await tab.emulateMedia({ colorScheme: view.colorScheme });
  await tab.setViewportSize(view.viewport);
  // What hostile texts try is to call these.
  await tab.exposeFunction("pwned", (what) => seen.ran.push(String(what)));
  await tab.addInitScript(() => { window.alert = (what) => window.pwned("alert " + what); });
  tab.on("console", (message) => {
    const missing = page.name === "missing" && /status of 404/.test(message.text()); // which it is to be
    if (message.type() !== "debug" && !missing) seen.console.push(`${message.type()}: ${message.text()}`);
  });
  tab.on("pageerror", (error) => seen.console.push(`error: ${error}`));
  tab.on("dialog", (dialog) => { seen.ran.push(dialog.message()); dialog.dismiss(); });
  // A page that is served asks for itself, and for nothing else.
  tab.on("request", (request) => { if (request.url() !== page.url && !request.url().startsWith("data:")) seen.requests.push(request.url()); });
  await tab.goto(page.url, { waitUntil: "load" });
  await tab.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0, null, { polling: 50 });
  seen.paint = await tab.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  seen.load = await tab.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
  seen.wide = await tab.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth + 1);
  if (asked.shots) await tab.screenshot({ path: join(asked.shots, `${page.name}-${view.name}.png`), fullPage: !page.large });

  // It comes to show what happens, and was not loaded again.
  if (page.follow) {
    await tab.evaluate(() => { window.same = true; });
    if (view === views[0]) await promisify(execFile)(page.run[0], page.run.slice(1));
    await tab.waitForFunction((status) => document.querySelector("h1 .status").textContent === status, page.follow, { polling: 100, timeout: 60000 });
    seen.followed = await tab.evaluate(() => window.same === true);
  }

  // By keyboard: the first mark leads to what was asked, which opens.
  const mark = tab.locator("a.mark:visible").first();
  if (await mark.count() && !page.large) {
    await mark.focus();
    await tab.keyboard.press("Enter");
    await tab.waitForFunction(() => document.activeElement.matches("li.request summary"));
    seen.opened = await tab.evaluate(() => document.activeElement.parentElement.open);
  }
  if (!page.large) await tab.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
  if (asked.shots && !page.large) await tab.screenshot({ path: join(asked.shots, `${page.name}-${view.name}-open.png`), fullPage: true });
  if (!page.large || view.name === "light") {
    await tab.evaluate(axe); // the console's way in, which the page's policy leaves open
    const found = await tab.evaluate((large) => window.axe.run(large ? { include: [["header"], [".chapters"], [".lanes > li:nth-child(-n+10)"]] } : document,
      { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }), !!page.large);
    seen.violations = found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200) + " " + n.failureSummary).join(" | ")}`);
    seen.rules = found.passes.length;
  }
  await tab.close();
  return seen;
}

// picture takes one of a part of a page.
async function picture(page) {
  const tab = await browser.newPage();
  await tab.setViewportSize({ width: 960, height: 900 });
  await tab.goto(page.url);
  await tab.locator(page.part).first().screenshot({ path: page.file });
  await tab.close();
}

const report = [];
try {
  for (const page of asked.pictures ?? []) await picture(page);
  for (const page of asked.pages) for (const view of views) report.push(await look(page, view));
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(JSON.stringify(report));
