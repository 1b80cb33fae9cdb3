import { MAX_DESCRIPTION, MAX_ID, MAX_NAME } from '../core/index.js';
import { faultIn, readId, readLines, readObjects } from './read-lines.js';
import { withoutFrontMatter } from './without-front-matter.js';

/** Characters of a file's text that are used: as many as in the catalogues that the benchmarks were made for. */
const MAX_FILE_TEXT = 2000;
/** Characters of the text that replace a missing title. */
const MAX_TITLE = 80;

/** A file of a skill. */
export interface FileText {
  readonly filename: string;
  readonly text: string;
}

/** A document as the row of a skill. */
export interface CorpusRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly files?: readonly FileText[];
}

/**
 * The documents of a corpus, `{_id, title, text}` a line, as rows. The title becomes the name, or the beginning of the
 * text if there is no title. The text becomes the description. A load rejects an empty document for its description.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE` with file and line
 */
export async function* readCorpus(path: string, files: boolean): AsyncGenerator<CorpusRow> {
  for await (const [row, line] of readObjects(path)) {
    const id = readId(row['_id']);
    const { title = '', text } = row;
    if (id === undefined || typeof title !== 'string' || typeof text !== 'string') {
      throw faultIn(path, line, 'expected a document: an object with `_id`, `title` and `text`');
    }
    if (cut(id, MAX_ID) !== id) throw faultIn(path, line, `expected an id of at most ${MAX_ID} characters`);
    const name = title.trim() === '' ? cut(text.trim(), MAX_TITLE) : cut(title.trim(), MAX_NAME);
    const whole = text.trim() === '' ? title.trim() : text.trim();
    const description = cut(whole, MAX_DESCRIPTION);
    const rest = files && description !== whole ? { files: [{ filename: 'SKILL.md', text: whole }] } : {};
    yield { id, name, description, ...rest };
  }
}

/**
 * File texts, `{_id, text}` a line, by the id of their document: without front matter, at most 2,000 characters. A line
 * may have `id` instead of `_id`, and a `filename` other than `SKILL.md`.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE` with file and line
 */
export async function readFileTexts(path: string): Promise<Map<string, FileText[]>> {
  const texts = new Map<string, FileText[]>();
  for await (const [row, line] of readObjects(path)) {
    const id = readId(row['_id'] ?? row['id']);
    const { filename = 'SKILL.md', text } = row;
    if (id === undefined || typeof text !== 'string' || typeof filename !== 'string') {
      throw faultIn(path, line, 'expected the text of a file: an object with `_id` and `text`');
    }
    const others = (texts.get(id) ?? []).filter((file) => file.filename !== filename);
    texts.set(id, [...others, { filename, text: cut(withoutFrontMatter(text).trim(), MAX_FILE_TEXT) }]);
  }
  return texts;
}

/**
 * Ids, one a line.
 *
 * @throws {SkillSearchError} `SOURCE_NOT_FOUND`, `INVALID_SOURCE`
 */
export async function readIds(path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for await (const { text } of readLines(path)) ids.add(text.trim());
  return ids;
}

/** The first characters (code points) of a text. */
function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join('');
}
