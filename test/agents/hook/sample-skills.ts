import { readFileSync } from 'node:fs';

export interface SampleSkill {
  readonly name: string;
  readonly description: string;
}

/** The skills of the sample catalogue, in English and in other languages. */
export function readSampleSkills(): SampleSkill[] {
  return ['skills', 'languages'].flatMap((name) =>
    readFileSync(new URL(`../../../data/sample/${name}.jsonl`, import.meta.url), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as SampleSkill),
  );
}
