import type { SkillNumber } from '../../core/index.js';
import { isSignatureWhole, signatureChecksum } from '../checksums.js';
import { readMeta, writeMeta } from '../notes.js';
import { isStoredText, textOf } from '../packed-text.js';
import type { Connection, Statement } from '../sqlite.js';
import type { RecordFields, SkillToStore } from '../stored-skill.js';
import { type ComparedText, SIGNATURE_RULES, signatureOf, type TextSignature } from './text-signature.js';

/** Key in `meta` of the rules by which the signatures were made. */
const RULES_KEY = 'signature_rules';

/** The words of a text depend on the version of Unicode of the runtime, too. */
const RULES = `${SIGNATURE_RULES} ${process.versions['unicode']}`;

/** Whether the signatures of a catalogue were made by the present rules. */
export function hasPresentSignatures(catalogue: Connection): boolean {
  return readMeta(catalogue, RULES_KEY) === RULES;
}

/** Whether every skill of a catalogue has a signature, made by the present rules. */
export function areAllSigned(catalogue: Connection): boolean {
  if (readMeta(catalogue, RULES_KEY) !== RULES) return false;
  const all = 'SELECT (SELECT count(*) FROM skill) = (SELECT count(*) FROM text_signature)';
  return catalogue.prepare<[], number>(all).pluck().get() === 1;
}

/** Writes signatures into a catalogue. Triggers delete the signature of a skill that changes or is deleted. */
export class SignatureWriter {
  readonly #catalogue: Connection;
  readonly #insert: Statement<[...SignatureRow, checksum: number], unknown>;

  /** Deletes signatures made by other rules. */
  constructor(catalogue: Connection) {
    this.#catalogue = catalogue;
    if (readMeta(catalogue, RULES_KEY) !== RULES) {
      catalogue.exec('DELETE FROM text_signature');
      writeMeta(catalogue, RULES_KEY, RULES);
    }
    this.#insert = catalogue.prepare(
      'INSERT INTO text_signature (skill, name, text, words, sketch, checksum) VALUES (?, ?, ?, ?, ?, ?)',
    );
  }

  /** Signs a skill that has no signature. */
  sign(skill: SkillNumber, compared: ComparedText): void {
    const { name, text, words, sketch } = signatureOf(compared);
    this.#insert.run(skill, name, text, words, sketch, signatureChecksum(skill, name, text, words, sketch));
  }

  /** Signs every stored skill that has no signature. */
  signAll(): void {
    const missing = this.#catalogue
      .prepare<[], SkillNumber>(
        'SELECT number FROM skill WHERE NOT EXISTS (SELECT 1 FROM text_signature WHERE skill = skill.number)',
      )
      .pluck();
    const textOf = storedText(this.#catalogue);
    for (const skill of missing.all()) this.sign(skill, textOf(skill));
  }
}

/** Reads the text by which a stored skill is compared with others. A record that is no JSON has none. */
function storedText(catalogue: Connection): (skill: SkillNumber) => ComparedText {
  const texts = catalogue.prepare<[SkillNumber], StoredCompared>(`
    SELECT record,
      (SELECT text FROM file WHERE skill = number ORDER BY lower(filename) <> 'skill.md', position LIMIT 1) AS stored
    FROM skill WHERE number = ?`);
  return (skill) => {
    const row = texts.get(skill);
    if (row === undefined) return NO_TEXT;
    const { record, stored } = row;
    const fields = typeof record === 'string' ? fieldsOrUndefined(record) : undefined;
    if (fields === undefined) return NO_TEXT;
    const text = isStoredText(stored) ? textOf(stored, record as string) : undefined;
    return { name: String(fields.name), description: String(fields.description), text: text ?? '' };
  };
}

/** What is stored of the text of a skill. Damage can change the type of a value. */
interface StoredCompared {
  readonly record: unknown;
  readonly stored: unknown;
}

function fieldsOrUndefined(record: string): Partial<RecordFields> | undefined {
  try {
    return JSON.parse(record) as Partial<RecordFields>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Reads the signature of a stored skill. One that is missing or damaged is made again. */
export function readSignature(catalogue: Connection): (skill: SkillNumber) => TextSignature {
  const stored = catalogue.prepare<[SkillNumber], TextSignature & { readonly checksum: number | null }>(
    'SELECT name, text, words, sketch, checksum FROM text_signature WHERE skill = ?',
  );
  const textOf = storedText(catalogue);
  return (skill) => {
    const found = stored.get(skill);
    if (found === undefined) return signatureOf(textOf(skill));
    const { name, text, words, sketch, checksum } = found;
    return isSignatureWhole(skill, name, text, words, sketch, checksum) ? found : signatureOf(textOf(skill));
  };
}

const NO_TEXT: ComparedText = { name: '', description: '', text: '' };

/** The text by which a skill is compared with others, before it is stored. */
export function comparedText(
  { name, description }: Pick<SkillToStore['skill'], 'name' | 'description'>,
  files: SkillToStore['files'],
): ComparedText {
  const file = files.find(({ filename }) => /^skill\.md$/i.test(filename)) ?? files[0];
  return { name, description, text: file?.text ?? description };
}

/** The stored signature of a skill. */
type SignatureRow = [skill: SkillNumber, name: number, text: number, words: number, sketch: Uint8Array];

/**
 * Reads the signatures of a catalogue. One that is missing or damaged is made again from the text of its skill.
 *
 * @param skills of the catalogue
 * @param visit called for each skill that has a signature; for none if other rules made them
 */
export function readSignatures(
  catalogue: Connection,
  skills: Float64Array,
  visit: (...signature: SignatureRow) => void,
): void {
  const rules = readMeta(catalogue, RULES_KEY);
  // Made with another version of Unicode, they can still be compared with each other.
  if (rules?.split(' ')[0] !== String(SIGNATURE_RULES)) return;
  const found = new Set<SkillNumber>();
  const rows = catalogue
    .prepare<[], [...SignatureRow, number | null]>(
      'SELECT skill, name, text, words, sketch, checksum FROM text_signature',
    )
    .raw();
  for (const [skill, name, text, words, sketch, checksum] of rows.iterate()) {
    if (!isSignatureWhole(skill, name, text, words, sketch, checksum)) continue;
    found.add(skill);
    visit(skill, name, text, words, sketch);
  }
  if (rules !== RULES) return;
  const textOf = storedText(catalogue);
  for (const skill of skills) {
    if (found.has(skill)) continue;
    const { name, text, words, sketch } = signatureOf(textOf(skill));
    visit(skill, name, text, words, sketch);
  }
}
