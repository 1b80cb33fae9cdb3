import type { Access } from '../access/index.js';
import type { SkillSearch } from '../index.js';

/** Tells the key from those that people make. */
const NAME = 'serve --demo';

/** Words that a catalogue of any size mostly has. */
const WORDS = ['release notes', 'testing', 'test', 'data', 'code'];
const QUESTION = 'tell our users what changed since the last version';

/** A new key, in place of the one of the last start, and a command to try for each kind of search. */
export function demoLines(search: SkillSearch, access: Access, url: string): string[] {
  for (const { id, name, revokedAt } of access.listKeys()) {
    if (name === NAME && revokedAt === undefined) access.revokeKey(id);
  }
  const { key } = access.createKey({ name: NAME });
  const q = WORDS.find((words) => search.keywordRecords({ q: words, limit: 1 }).records.length > 0) ?? 'skill';
  const category = search.keyword({ q, limit: 1 }).hits[0]?.skill.categories[0] ?? search.categories()[0]?.slug;
  const filter = category === undefined ? 'sortBy=stars' : `category=${category}&sortBy=stars`;
  const [keyword, semantic] = [`${url}/api/v1/skills/search`, `${url}/api/v1/skills/ai-search`];
  return [
    '',
    `API key for this demo: ${key}`,
    '(each start makes a new key and revokes the last one)',
    '',
    'Try in another terminal:',
    '',
    `curl "${keyword}?q=${encodeWords(q)}"`,
    `curl "${keyword}?q=${encodeWords(q)}&${filter}&limit=5"`,
    `curl -H "Authorization: Bearer ${key}" "${semantic}?q=${encodeWords(QUESTION)}"`,
    '',
  ];
}

function encodeWords(words: string): string {
  return encodeURIComponent(words).replaceAll('%20', '+');
}
