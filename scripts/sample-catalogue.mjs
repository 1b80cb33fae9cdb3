/** What `npm start` gives to `skill-discovery load`: paths from the folder of the project, and options. */
export const SAMPLE_CATALOGUE = [
  'data/sample/skills.jsonl',
  'data/sample/languages.jsonl',
  'data/sample/folders',
  // The ids of data/sample/requests.jsonl must not depend on where a clone came from.
  '--no-git',
  '--author',
  'sample',
  '--codehost-base',
  'https://code.example/sample',
];
