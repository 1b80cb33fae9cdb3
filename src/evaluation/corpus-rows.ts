import { faultIn, readId, readLines, readObjects } from './read-lines.js';

/** Characters of a file's text that count, as in the catalogues that benchmarks were made over. */
const MAX_FILE_TEXT = 2000;
/** Characters of a document's text that become a description; a longer one is the text of a file as well. */
const MAX_DESCRIPTION = 4000;
const MAX_NAME = 200;
/** Characters of a text that stand in for a title. */
const MAX_TITLE = 80;
const MAX_ID = 250;

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
 * The documents of a corpus, `{_id, title, text}` a line, as rows: the title is the name, or the beginning of the text
 * where there is none, the text is the description. A document that is empty is an empty description, which a load rejects.
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
 * File texts, `{_id, text}` a line (or `id`; `filename` where it is not `SKILL.md`), by id of the document they belong to:
 * without front matter, and cut at 2,000 characters.
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
    texts.set(id, [...others, { filename, text: cut(withoutFrontMatter(text), MAX_FILE_TEXT) }]);
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

/** Of a text that begins with a line `---`, what is behind the next such line. */
function withoutFrontMatter(text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '').trim();
}

/** The first characters (code points) of a text. */
function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join('');
}
