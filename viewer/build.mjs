// Bundle the viewer into one script: node build.mjs OUTPUT
import { build } from "esbuild";

const output = process.argv[2] ?? "../src/anyjoint/view/viewer.js";

await build({
  entryPoints: [new URL("src/main.js", import.meta.url).pathname],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2020",
  charset: "ascii", // the page may be pasted into a document of any encoding
  legalComments: "eof",
  loader: { ".css": "text" },
  outfile: output,
});
