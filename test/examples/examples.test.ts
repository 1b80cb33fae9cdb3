import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const EXAMPLES = join(PROJECT, 'examples');

/** What an example must print, as its last lines or as lines anywhere. */
const PRINTED: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'agent-loop.ts': [
    /^agent: \(an answer with <skill name="flaky-test-hunter">/m,
    /^user: {2}Please find out which of my tests are flaky[\s\S]*?\nagent: \(an answer with <skill name="flaky-test-hunter">/m,
    /^agent: \(an answer with <skill name="recipe-scaler">/m,
    /^user: {2}Thank you, that was great!\nagent: \(an answer with no skill\)$/m,
  ],
  'agent-steps.ts': [
    /^step: read the invoice pdf \(fits, 0 left out\)\n- \*\*pdf-reader\*\* /m,
    /^step: sum up the table \(fits, 0 left out\)\n- \*\*table-sums\*\* /m,
  ],
  'anthropic-tool-references.ts': [
    '3 tools, 2 of them deferred; the model searches: fill in forms\n',
    '"tool_use_id":"toolu_1","content":[{"type":"tool_reference","tool_name":"pdf-forms"}]}\n',
    'the model calls pdf-forms and gets: Fills in PDF forms.\n',
  ],
  'embedding-service.ts': ['5 texts embedded, though the service refuses some calls\n', 'trees: trees\n'],
  'evaluate-own-questions.ts': [
    '4 questions over 202 skills\n',
    /^hybrid {2}nDCG@10 [01]\.\d{3} {2}MRR@10 [01]\.\d{3}$/m,
    /^hybrid against bm25: -?[01]\.\d{3}, p = [01]\.\d\d$/m,
    'rank 1: fill in a tax form\n',
  ],
  'openai-tool-search.ts': [
    'tool_search by the client: bake bread\n',
    '"call_id":"call_1","execution":"client","status":"completed","tools":[{"type":"function","name":"bread"',
    'the model calls bread and gets: Bakes bread. Knows sourdough.\n',
  ],
  'own-embedder.ts': [
    '3 texts embedded by topics-1\n',
    'baking dough: loaf-helper, cosine 1.00\n',
    'plants in my garden: green-thumb\n',
    'with another model: MODEL_MISMATCH\n',
  ],
  'own-server.ts': [
    'a page of my own\n',
    'pdf: https://example.org/skills-api/skills/unknown-pdf-forms, 1 left today\n',
    'plants: https://example.org/skills-api/skills/unknown-plant-care, 0 left today\n',
    'forms: 429\n',
  ],
  'own-source.ts': [
    '3 added, 0 updated, 0 unchanged, 0 removed\n  my-api, row 4: description: expected text, got blank text\n',
    '0 added, 1 updated, 1 unchanged, 1 removed\n',
    'my-api-bread: 8 stars\nmy-api-tax: 6 stars\n',
  ],
};

test('every example has a test', () => {
  const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.ts'));
  expect(files.sort()).toEqual(Object.keys(PRINTED).sort());
});

test.each(Object.entries(PRINTED))(
  '%s runs from the sources, prints what it shows, and leaves nothing behind',
  { timeout: 180_000 },
  async (file, printed) => {
    const before = scratchFolders();
    const { status, out, error } = await runExample(file);
    // Standard error may have warnings of the runtime; after a failure it says why.
    expect({ status, error: status === 0 ? '' : error }).toEqual({ status: 0, error: '' });
    for (const part of printed) {
      if (typeof part === 'string') expect(out).toContain(part);
      else expect(out).toMatch(part);
    }
    expect([...scratchFolders()].filter((folder) => !before.has(folder))).toEqual([]);
  },
);

/** In the project's folder: its tsconfig.json leads the library's names to the sources, whatever `dist/` holds. */
async function runExample(file: string): Promise<{ status: number | null; out: string; error: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(EXAMPLES, file)], {
    cwd: PROJECT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, out, error };
}

/** Folders that examples make. */
function scratchFolders(): ReadonlySet<string> {
  return new Set(
    readdirSync(tmpdir()).filter((name) =>
      /^skill-discovery-(agent|source|embedder|questions|server|evaluate)-/.test(name),
    ),
  );
}
