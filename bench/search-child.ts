// Opens a catalogue, asks questions, and prints what it took as JSON. A process of its own, so that its memory is its own.
import { readFileSync } from 'node:fs';
import { openSkillSearch, type SortOrder } from '../src/index.js';
import { makeQuestions, type QuestionClass } from './questions.js';

const { database, ids, questionFile } = JSON.parse(readFileSync(0, 'utf8')) as {
  database: string;
  ids: string[];
  questionFile: string | undefined;
};

const classes = await makeQuestions(database, ids);
if (questionFile !== undefined) classes.push(readQuestionFile(questionFile));

const started = performance.now();
const search = await openSkillSearch({ database });
const openSeconds = (performance.now() - started) / 1000;

const rows = [];
for (const { name, questions } of classes) {
  for (const sortBy of ['relevance', 'recent'] satisfies SortOrder[]) {
    for (const q of questions.slice(0, 10)) search.keyword({ q, sortBy });
    const times: number[] = [];
    const steps: Record<string, number> = {};
    for (const q of questions) {
      const before = performance.now();
      const { step = 'nothing' } = search.keyword({ q, sortBy });
      times.push(performance.now() - before);
      steps[step] = (steps[step] ?? 0) + 1;
    }
    times.sort((a, b) => a - b);
    const quantile = (share: number): number =>
      times[Math.min(times.length - 1, Math.floor(times.length * share))] as number;
    rows.push({ name, sortBy, questions: questions.length, p50: quantile(0.5), p99: quantile(0.99), steps });
  }
}
const { rss } = process.memoryUsage();
await search.close();
console.log(JSON.stringify({ openSeconds, rss, rows }));

function readQuestionFile(path: string): QuestionClass {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const questions = lines
    .map((line) => (JSON.parse(line) as { text: string }).text.slice(0, 200))
    .filter((q) => /[\p{L}\p{N}]/u.test(q));
  return { name: 'given questions', questions };
}
