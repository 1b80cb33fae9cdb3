import { Buffer } from 'node:buffer';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { locationIn } from './places.js';
import type { SkillColumns } from './stored-skill.js';

/** The columns of a skill that a packed record does without. */
export type BesideRecord = Pick<SkillColumns, 'id' | 'stars' | 'updatedAt' | 'place'>;

/** The fields of a record that stand in it. */
interface Fields {
  readonly name: string;
  readonly author: string;
  readonly description: string;
  readonly codehostUrl: string;
  readonly skillUrl: string;
}

/** The eight fields of a record. */
export interface RecordFields extends Fields {
  readonly id: string;
  readonly stars: number;
  readonly updatedAt: number;
}

/**
 * A packed record has the texts of a record, each as in JSON between its quotation marks:
 *
 *     MARK name MARK author MARK description MARK codehostUrl MARK skillUrl
 *
 * The names of the fields are always the same, and `id`, `stars` and `updatedAt` have columns of their own. Nor is
 * said again what these and the column `place` say: an address on GitHub, and the id that an address ends in. JSON has
 * none of the characters that stand for them, nor {@link MARK}.
 */
const MARK = '\u001f';
/** An address on GitHub that ends in the path of the place; the branch follows, but for `HEAD`. */
const FOLDER = '\u0001';
/** Likewise without the path. */
const REPOSITORY = '\u0002';
/** The id. */
const ID = '\u0003';

const GITHUB = 'https://github.com/';
const TREE = '/tree/';
const USUAL_BRANCH = 'HEAD';

/** What is stored of a record: itself if it cannot be told from its packed form. */
export function packRecord(record: string, beside: BesideRecord): string {
  const address = textInRecord(record, 'codehostUrl');
  const shown = textInRecord(record, 'skillUrl');
  const id = JSON.stringify(beside.id).slice(1, -1);
  const packed = [
    '',
    textInRecord(record, 'name'),
    textInRecord(record, 'author'),
    textInRecord(record, 'description'),
    packAddress(address, beside.place) ?? address,
    shown.endsWith(id) ? shown.slice(0, shown.length - id.length) + ID : shown,
  ].join(MARK);
  return unpackRecord(packed, beside) === record ? packed : record;
}

/**
 * A text of a record as it stands there between quotation marks: to read the whole record would take longer.
 *
 * @param record as `toColumns` writes it
 */
function textInRecord(record: string, field: keyof Fields): string {
  // A quotation mark inside a text has a backslash before it, so these stand nowhere else.
  const before = `,"${field}":"`;
  const start = record.indexOf(before) + before.length;
  return record.slice(start, record.indexOf(AFTER[field], start));
}

/** What follows a text. */
const AFTER: Readonly<Record<keyof Fields, string>> = {
  name: '","author":"',
  author: '","description":"',
  description: '","codehostUrl":"',
  codehostUrl: '","skillUrl":"',
  skillUrl: '","stars":',
};

/** The record that is stored. */
export function unpackRecord(stored: string, beside: BesideRecord): string {
  const parts = readParts(stored);
  return parts === undefined ? stored : recordOf(parts, beside, unpackAddress(parts[4], beside.place));
}

/**
 * The record that is stored, and its fields. Does not parse JSON where it need not.
 *
 * @throws {SyntaxError} if the record is damaged
 */
export function unpackWithFields(
  stored: string,
  beside: BesideRecord,
): { readonly record: string; readonly fields: RecordFields } {
  const parts = readParts(stored);
  if (parts === undefined) return { record: stored, fields: JSON.parse(stored) as RecordFields };
  const unpacked = unpackAddress(parts[4], beside.place);
  const record = recordOf(parts, beside, unpacked);
  if (stored.includes('\\')) return { record, fields: JSON.parse(record) as RecordFields };
  const { id, stars, updatedAt } = beside;
  const [, name, author, description, address, shown] = parts;
  const codehostUrl = unpacked ?? address;
  const skillUrl = shown.endsWith(ID) ? shown.slice(0, -1) + id : shown;
  return { record, fields: { id, name, author, description, codehostUrl, skillUrl, stars, updatedAt } };
}

/**
 * The fields of a stored record.
 *
 * @throws {SyntaxError} if the record is damaged
 */
export function fieldsOf(stored: string, beside: BesideRecord): RecordFields {
  return unpackWithFields(stored, beside).fields;
}

/** @param codehostUrl if the place says it */
function recordOf(parts: Parts, { id, stars, updatedAt }: BesideRecord, codehostUrl: string | undefined): string {
  const [, name, author, description, address, shown] = parts;
  const inId = JSON.stringify(id);
  const inAddress = codehostUrl === undefined ? `"${address}"` : JSON.stringify(codehostUrl);
  const inShown = shown.endsWith(ID) ? shown.slice(0, -1) + inId.slice(1) : `${shown}"`;
  return (
    `{"id":${inId},"name":"${name}","author":"${author}","description":"${description}",` +
    `"codehostUrl":${inAddress},"skillUrl":"${inShown},"stars":${stars},"updatedAt":${updatedAt}}`
  );
}

/** The parts of a packed record; the first is empty. */
type Parts = readonly ['', name: string, author: string, description: string, address: string, shown: string];

/** Undefined if the record is not packed. */
function readParts(stored: string): Parts | undefined {
  if (!stored.startsWith(MARK)) return undefined;
  const parts = stored.split(MARK);
  return parts.length === 6 ? (parts as unknown as Parts) : undefined;
}

/** Undefined unless the place says it. */
function packAddress(address: string, place: string): string | undefined {
  const [repository, path] = repositoryOf(place);
  const before = GITHUB + repository + TREE;
  if (repository === '' || !address.startsWith(before)) return undefined;
  const isFolder = path !== '' && address.endsWith(path) && address.length > before.length + path.length;
  const branch = address.slice(before.length, isFolder ? -path.length : undefined);
  if (!/^[\w.-]+$/.test(branch)) return undefined;
  return (isFolder ? FOLDER : REPOSITORY) + (branch === USUAL_BRANCH ? '' : branch);
}

/** Undefined if it is not packed. */
function unpackAddress(packed: string, place: string): string | undefined {
  const isFolder = packed.startsWith(FOLDER);
  if (!isFolder && !packed.startsWith(REPOSITORY)) return undefined;
  const [repository, path] = repositoryOf(place);
  const branch = packed.length === 1 ? USUAL_BRANCH : packed.slice(1);
  return GITHUB + repository + TREE + branch + (isFolder ? path : '');
}

/** The `owner/repo` that a place begins with, and what follows. */
function repositoryOf(place: string): readonly [repository: string, path: string] {
  const location = locationIn(place);
  const owner = location.indexOf('/');
  if (owner < 0) return ['', location];
  const [slash, hash] = [location.indexOf('/', owner + 1), location.indexOf('#', owner + 1)];
  const end = slash < 0 || (hash >= 0 && hash < slash) ? hash : slash;
  return end < 0 ? [location, ''] : [location.slice(0, end), location.slice(end)];
}

/**
 * What texts of skills often say, for the compressor to refer to: a text of two kilobytes has not yet said much itself.
 * What is most frequent stands last, because near references take fewer bits.
 *
 * Stored texts refer to these bytes, so none of them may ever change. Another dictionary needs another form of packed
 * texts, see `packed-text.ts`.
 */
export const TEXT_DICTIONARY: Buffer = Buffer.from(`
<script></script></details><summary></table></div> className="</p>\r\n{{/each}} $ARGUMENTS @media https://www.
{"type": "object", "properties": {"description": "string", "required": true, "status": "error", "message": null}
function async await return const let import export default from 'react'; => { } catch (error) { throw new Error(
interface public class private static void String int self, def __init__(self): print(f" if __name__ == "__main__":
SELECT * FROM table WHERE id = INSERT INTO CREATE TABLE UPDATE DELETE JOIN GROUP BY ORDER BY LIMIT INDEX query schema
docker compose kubernetes cluster container namespace deployment server port localhost:3000 http://localhost:8080
git commit -m "feat: git checkout -b branch git diff git push origin main git status git log --oneline pull request
npm install npm run build npm run test npx pnpm yarn node_modules package.json tsconfig.json pip install uv run pytest
python3 scripts/ python -m cargo build cargo test go test ./... make curl -X POST -H "Content-Type: application/json"
mkdir -p cd cat grep -r find . -name "*.md" echo "export API_KEY= environment variables .env config.yaml settings.json
machine learning model training dataset evaluation metrics pipeline prompt embedding token context window Claude Code
OpenAI Anthropic MCP server tools agent agents subagent orchestrator LLM GPT Gemini Python TypeScript JavaScript React
Next.js Node.js PostgreSQL Redis GraphQL REST API endpoint endpoints request response authentication authorization
security vulnerabilities performance optimization accessibility responsive component components layout design system
frontend backend database migrations infrastructure monitoring logging debugging refactoring architecture patterns
research analysis report summary document documents documentation template templates content marketing customer product
business strategy market data financial audience brand email social media video image images audio slide presentation
planning project management task tasks issue issues milestone priority status progress review reviewer approval
input output parameter parameters argument arguments option options value values default example examples result results
error errors failure warning warnings exception invalid missing required optional supported available existing current
create creating build building generate generating write writing read reading update updating check checking verify
validate validation test tests testing unit integration coverage run running execute execution implement implementation
analyze identify determine define describe explain provide ensure include including following based specific different
license: MIT version: 1.0.0 author: metadata: category: tags: compatibility: allowed-tools: Read, Write, Edit, Bash(git:*),
Glob, Grep, WebFetch, Task, TodoWrite user-invocable: true disable-model-invocation: false argument-hint: model: sonnet
Triggers on: "Trigger when the user asks to Activates when Keywords: Do NOT use for Invoke when working with Covers
should be must be can be will be does not do not don't is not are not has been have been which that this these those
there their they your you're what when where while without within before after between through across during about
## Table of Contents\n\n## Troubleshooting\n\n## Common Issues\n\n## Limitations\n\n## References\n\n## Resources\n\n
## Related Skills\n\n## See Also\n\n## Checklist\n\n- [ ] - [x] ## Error Handling\n\n## Configuration\n\n## Setup\n\n
## Installation\n\n## Requirements\n\n## Prerequisites\n\n## Key Concepts\n\n## Core Principles\n\n## Core Capabilities\n\n
## Best Practices\n\n## Anti-Patterns\n\n## Guidelines\n\n## Rules\n\n## Output Format\n\n## Output\n\n## Input\n\n
## Examples\n\n### Example 1: \n\n**User**: \n**Assistant**: \n## Workflow\n\n### Phase 1: \n\n## Process\n\n### Step 1: \n\n
## Steps\n\n### 2. \n\n### 3. \n\n## How It Works\n\n## How to Use\n\n## Usage\n\n## Commands\n\n## Features\n\n## Purpose\n\n
## Instructions\n\nWhen this skill is invoked, You are an expert in \n\n## Quick Reference\n\n|---------|-------------|
| Command | Description |\n| File | Purpose |\n|------|---------|\n| --- | --- | --- |\n## Quick Start\n\n\`\`\`bash\n#
\`\`\`\n\n\`\`\`python\nimport os\n\`\`\`typescript\n\`\`\`json\n{\n  "\`\`\`yaml\n\`\`\`sql\n\`\`\`markdown\n\`\`\`javascript\n
**Important**: **Note**: **Always** **Never** **Critical** **Example:**\n\n- ✅ - ❌ → — “ ” ’ … • ├── └── │   
- Use - Create - Check - Read - Add - Follow - Keep - Identify - Ensure - Avoid - Run - Define - Review - What - How - If the
1. **\n2. **\n3. **\n4. **\n5. **\n   - 1. Read the 2. 3. 4. If you need to make sure references/ for more details, see the [
## Overview\n\nThis skill provides comprehensive guidance for a complete set of best practices and code quality to help you
## When to Use\n\n## When to Use This Skill\n\nUse this skill when:\n- Use this skill when the user wants to the user asks for
It is used as an in order to of the in the for the to the on the and the with the from the by the at the is the a new file
 files, one of all any each other such as not only into than then also using used uses make more most same first set the user's
---\nname: \ndescription: This skill should be used when the user \ndescription: Use when \ndescription: |\n  \ndescription: >\n  "
 or user mentions , and  project  skill  code  data  file  with  for  and  the ",  to  a  of **: \n- **\n\n## \n---\n\n# `);

/**
 * A packed text, as it is stored, either
 *
 *     0  2, for the description of the skill: 1 byte, and no more
 *
 * or
 *
 *     0  1, 1 byte
 *     1  bytes of the text in UTF-8, 3 bytes, little-endian
 *     4  raw deflate of these bytes, with a preset dictionary: the text dictionary, then the record of the skill
 *
 * Most texts begin with what the record says, name and description. So a packed text can be read only with the record
 * that it was packed with: whoever reads one has compared the record with its checksum before.
 */
const DEFLATED = 1;
const DESCRIPTION = Buffer.of(2);
const HEAD_BYTES = 4;

/** Texts of fewer bytes stay as they are: two of them save less than the page of the database that they lie in. */
const SHORTEST = 64;
/** More does not fit the head. */
const LONGEST: number = 2 ** 24 - 1;

/** The level of compression. That of zlib itself takes a tenth longer, for one byte in a hundred. */
const LEVEL = 4;

/**
 * For texts that lie with the dictionary in a window of 16 KB, as most do: a compressor takes a third of the memory,
 * which V8 counts as garbage after each text. Packed texts are the same.
 */
const SMALL_COMPRESSOR = { windowBits: 14, memLevel: 6 } as const;
const SMALL_WINDOW: number = 2 ** SMALL_COMPRESSOR.windowBits;

/** Bytes of a record that count: enough for the longest description of most skills. */
const RECORD_BYTES = 4096;

const dictionaries: Buffer = Buffer.alloc(TEXT_DICTIONARY.length + RECORD_BYTES);
TEXT_DICTIONARY.copy(dictionaries);

/** The dictionary of a skill's texts. Valid until the next call. */
function dictionaryOf(record: string): Buffer {
  const written = dictionaries.write(record, TEXT_DICTIONARY.length);
  return dictionaries.subarray(0, TEXT_DICTIONARY.length + written);
}

/**
 * What is stored of a text: itself if packing does not make it shorter.
 *
 * @param record of the skill, as `toColumns` writes it
 */
export function packText(text: string, record: string): string | Buffer {
  const bytes = Buffer.from(text);
  const { length } = bytes;
  // A lone surrogate would not come back.
  if (length < SHORTEST || length > LONGEST || !text.isWellFormed()) return text;
  if (isDescription(text, record)) return DESCRIPTION;
  const dictionary = dictionaryOf(record);
  const compressor = dictionary.length + length <= SMALL_WINDOW ? SMALL_COMPRESSOR : undefined;
  const packed = deflateRawSync(bytes, { level: LEVEL, chunkSize: length, dictionary, ...compressor });
  if (HEAD_BYTES + packed.length >= length) return text;
  const stored = Buffer.allocUnsafe(HEAD_BYTES + packed.length);
  stored[0] = DEFLATED;
  stored.writeUIntLE(length, 1, 3);
  packed.copy(stored, HEAD_BYTES);
  return stored;
}

/**
 * The text that was packed; undefined if this is no packed text, or was packed with another record. Which of the two
 * cannot always be told, so what is given must have been compared with checksums before.
 *
 * @param record of the skill, as it was when the text was packed
 */
export function unpackText(stored: Buffer, record: string): string | undefined {
  if (stored.equals(DESCRIPTION)) return descriptionIn(record);
  if (stored.length <= HEAD_BYTES || stored[0] !== DEFLATED) return undefined;
  const length = stored.readUIntLE(1, 3);
  try {
    // One byte more than it takes, else the last call would find no room and make a second one.
    const bytes = inflateRawSync(stored.subarray(HEAD_BYTES), {
      dictionary: dictionaryOf(record),
      chunkSize: Math.max(64, length + 1),
      maxOutputLength: Math.max(1, length),
    });
    return bytes.length === length ? bytes.toString() : undefined;
  } catch {
    return undefined;
  }
}

/** A skill whose source has no text has its description as text. */
function isDescription(text: string, record: string): boolean {
  const description = textInRecord(record, 'description');
  return text.length <= description.length && JSON.stringify(text) === `"${description}"`;
}

function descriptionIn(record: string): string | undefined {
  try {
    return JSON.parse(`"${textInRecord(record, 'description')}"`) as string;
  } catch {
    return undefined;
  }
}

/** What is stored of a text: the text itself, or packed. */
export type StoredText = string | Buffer;

/** Whether a stored value can be a text at all. Damage can change the type of a value. */
export function isStoredText(value: unknown): value is StoredText {
  return typeof value === 'string' || Buffer.isBuffer(value);
}

/** The text that is stored; undefined if it cannot be unpacked. */
export function textOf(stored: StoredText, record: string): string | undefined {
  return typeof stored === 'string' ? stored : unpackText(stored, record);
}
