// How well are my skills found? Measured with questions of your own.
//
// Write down questions as your users ask them, and for each the ids of the right skills. Ten are enough to begin with.
// Then compare rankings: here words alone against words and meaning.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluate, openCorpus, readBenchmark, summarise } from 'skill-discovery/evaluation';

const QUESTIONS = [
  { query: 'fill in a tax form', relevant: ['tarnwick-toolbox-skills-pdf-form-filling'] },
  {
    query: 'type the same data into a website again and again',
    relevant: ['nimbusotter-skills-skills-browser-form-automation'],
  },
  { query: 'let our customers know what is new', relevant: ['yarrowbyte-skills-skills-release-notes-from-git'] },
  { query: 'check that my screens still work', relevant: ['fernhollow-sci-workbench-skills-react-component-testing'] },
];

const folder = await mkdtemp(join(tmpdir(), 'skill-discovery-questions-'));
try {
  // A file with one question a line; `skill-discovery evaluate` reads the same.
  const file = join(folder, 'questions.jsonl');
  await writeFile(file, QUESTIONS.map((question) => `${JSON.stringify(question)}\n`).join(''));
  const benchmark = await readBenchmark(file);

  // The documents: anything that a catalogue can be loaded from, or a catalogue (`database`) that is never changed.
  const catalogue = fileURLToPath(new URL('../data/sample/skills.jsonl', import.meta.url));
  await using corpus = await openCorpus({ catalogue });

  const evaluation = await evaluate({
    benchmark,
    search: corpus.search,
    modes: ['bm25', 'hybrid'],
    baseline: 'bm25',
  });
  const { queries, modes, comparisons = [] } = summarise(evaluation);
  console.log(`${queries} questions over ${corpus.search.stats().skills} skills`);
  for (const [mode, figures] of Object.entries(modes)) {
    console.log(
      `${mode.padEnd(6)}  nDCG@10 ${figures['ndcg@10']?.toFixed(3)}  MRR@10 ${figures['mrr@10']?.toFixed(3)}`,
    );
  }
  // With four questions chance explains nearly any difference: p says so.
  for (const { mode, baseline, difference, p } of comparisons) {
    console.log(`${mode} against ${baseline}: ${difference.toFixed(3)}, p = ${p.toFixed(2)}`);
  }

  // Which questions fail? The ranking of each is in the run.
  const hybrid = evaluation.modes.find(({ name }) => name === 'hybrid');
  for (const { id, text } of benchmark.questions) {
    const found = hybrid?.run.get(id) ?? [];
    const rank = found.findIndex((document) => benchmark.gains.get(id)?.has(document.id)) + 1;
    console.log(`${rank === 0 ? 'not found' : `rank ${rank}`}: ${text}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
