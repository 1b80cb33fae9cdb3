// Packs the project as npm would publish it, and checks the package: its entries (publint), its types (attw), and that
// it contains the needed files and no others.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'skill-discovery-pack-'));
try {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const allowed = /^(dist\/|data\/|docs\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/;
  const unexpected = packed.files
    .map((file) => file.path)
    .filter((path) => !allowed.test(path) || /\.(tsbuildinfo|db)$/.test(path));
  if (unexpected.length > 0) throw new Error(`the package must not contain: ${unexpected.join(', ')}`);
  for (const needed of [
    'dist/index.js',
    'dist/index.d.ts',
    'dist/http/index.js',
    'dist/http/browser/page.js',
    'dist/access/index.js',
    'dist/agents/formats/index.js',
    'dist/evaluation/index.js',
    'dist/sources/installed/index.js',
    'dist/cli/hook.js',
    'dist/cli/licenses.txt',
    'dist/cli/main.js',
    'dist/cli/opening.js',
    'dist/cli/package.json',
    'dist/cli/run.js',
    'data/agents.json',
    'data/language-trigrams.txt',
    'data/models/skill-minilm/compatible.json',
    'data/models/skill-minilm/languages.json',
    'data/models/skill-minilm/onnx/model_quantized.onnx',
    'data/models/skill-minilm/other-languages/LICENSE',
    'data/models/skill-minilm/other-languages/languages.json',
    'data/models/skill-minilm/other-languages/onnx/model_quantized.onnx',
    'data/page/icon.svg',
    'data/page/page.css',
    'data/sample/languages.jsonl',
    'data/sample/requests.jsonl',
    'data/sample/skills.jsonl',
    'data/traditional-characters.txt',
    'LICENSE',
    'README.md',
  ]) {
    if (!packed.files.some((file) => file.path === needed)) throw new Error(`the package lacks ${needed}`);
  }
  const tarball = join(folder, packed.filename);
  const run = (tool, ...words) =>
    execFileSync('npx', ['--no-install', tool, ...words], { cwd: root, stdio: 'inherit' });
  run('publint', '--strict', tarball);
  run('attw', '--profile', 'esm-only', tarball);
  console.log(
    `${packed.filename}: ${packed.files.length} files, ${(packed.size / 1e6).toFixed(1)} MB packed, ${(packed.unpackedSize / 1e6).toFixed(1)} MB unpacked`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
