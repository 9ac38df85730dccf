// Bundles every src/<element>.ts into one plain script, which works from file:// too (a module would not load there).
// `node build.mjs [FOLDER]` writes to FOLDER, by default to conf/static/elements.
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const outdir = process.argv[2] ?? join(here, "..", "static", "elements");
const entryPoints = readdirSync(join(here, "src"))
  .filter((name) => name.endsWith(".ts"))
  .sort()
  .map((name) => join(here, "src", name));

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints,
  outdir,
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "eof",
  absWorkingDir: here,
  logLevel: "warning",
});
