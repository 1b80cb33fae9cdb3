// Replaces two compiled files of dist/hook by bundles: the command `hook` starts at every prompt of an agent, and finding
// and compiling a hundred small modules would take longer than all of its work. The part that opens the catalogue is a
// bundle of its own, because a running server answers in its place where there is one.
//
//     node scripts/bundle-hook.mjs [DIST]      DIST holds what tsc has made: dist/ if left out
import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const hook = resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url)), 'hook');

/** A module finds its data by its own place. In a bundle it is told where that was. */
const placesOfModules = {
  name: 'places-of-modules',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      if (!contents.includes('import.meta.url')) return undefined;
      const place = JSON.stringify(relative(hook, path).split(sep).join('/'));
      return { contents: contents.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`) };
    });
  },
};

/** Parts that `hook` never comes to. In the bundle the packages that they import would be loaded at the start. */
const NEVER_NEEDED = ['minisearch/minisearch-index.js', 'load/load-in-memory.js'].map((name) => `*/${name}`);

for (const [name, external] of [
  ['find-alone', NEVER_NEEDED],
  ['run-hook', ['./find-alone.js']],
]) {
  const file = resolve(hook, `${name}.js`);
  await build({
    entryPoints: [file],
    outfile: file,
    allowOverwrite: true,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // What has compiled parts finds them by its own place.
    external: [...external, 'better-sqlite3', 'hnswlib-node', '@huggingface/*'],
    plugins: [placesOfModules],
    logLevel: 'warning',
  });
}
