import type { SkillImage } from '../../store/index.js';
import type { RunStatement } from '../postgres/postgres-session.js';
import { toStoredText } from './helpers.js';

/** An image with the digests of its texts, in their order. */
export interface ImageToWrite {
  readonly image: SkillImage;
  readonly texts: readonly Buffer[];
}

/** A column of a table: its name, its type, and its values. */
type Column = readonly [name: string, type: string, values: readonly unknown[]];

/** Writes images of skills in place of what is there under their ids. Nothing of a former image stays. */
export class ImageWriter {
  readonly #run: RunStatement;
  readonly #version: number;
  /** Numbers of the sources that were met. */
  readonly #sources = new Map<string, number>();

  /** @param version that the images are of */
  constructor(run: RunStatement, version: number) {
    this.#run = run;
    this.#version = version;
  }

  async write(batch: readonly ImageToWrite[]): Promise<void> {
    await this.#noteSources(batch);
    const numbers = await this.#writeSkills(batch.map(({ image }) => image));
    await this.#forgetParts(numbers);
    const skills = batch.map(({ image, texts }, i) => ({ image, texts, number: numbers[i]! }));
    const files = skills.flatMap(({ image, texts, number }) =>
      image.files.map(({ filename }, position) => ({ number, position, filename, sha256: texts[position]! })),
    );
    await this.#insert('skill_file', [
      ['skill', 'bigint', files.map(({ number }) => number)],
      ['position', 'int', files.map(({ position }) => position)],
      ['filename', 'text', files.map(({ filename }) => toStoredText(filename))],
      ['sha256', 'bytea', files.map(({ sha256 }) => sha256)],
    ]);
    const contents = skills.flatMap(({ image, number }) =>
      (image.contents?.files ?? []).map((file, position) => ({ number, position, file })),
    );
    await this.#insert('content_file', [
      ['skill', 'bigint', contents.map(({ number }) => number)],
      ['position', 'int', contents.map(({ position }) => position)],
      ['path', 'text', contents.map(({ file }) => toStoredText(file.path))],
      ['size', 'float8', contents.map(({ file }) => file.size)],
      ['sha256', 'bytea', contents.map(({ file }) => file.sha256)],
      ['executable', 'smallint', contents.map(({ file }) => file.executable)],
      ['complete', 'smallint', contents.map(({ file }) => file.complete)],
      ['is_text', 'smallint', contents.map(({ file }) => file.isText)],
      ['kept', 'text', contents.map(({ file }) => toStoredText(file.kept))],
    ]);
    const claims = skills.flatMap(({ image, number }) => image.claims.map((claim) => ({ number, claim })));
    await this.#insert('claim', [
      ['skill', 'bigint', claims.map(({ number }) => number)],
      ['source', 'int', claims.map(({ claim }) => this.#sources.get(claim.source))],
      ['fingerprint', 'bytea', claims.map(({ claim }) => claim.row?.fingerprint ?? null)],
      ['hash', 'bytea', claims.map(({ claim }) => claim.row?.hash ?? null)],
    ]);
    await this.#run({
      text: 'DELETE FROM skill_discovery.removed WHERE id = ANY ($1)',
      values: [batch.map(({ image }) => toStoredText(image.columns.id))],
    });
  }

  /** Removes skills, and notes that they are gone. */
  async remove(ids: readonly string[]): Promise<void> {
    const rows = await this.#run<{ number: string; id: string }>({
      text: `DELETE FROM skill_discovery.skill WHERE id = ANY ($1) RETURNING number, id`,
      values: [ids.map(toStoredText)],
    });
    await this.#forgetParts(rows.map(({ number }) => number));
    await this.#run({
      text: `INSERT INTO skill_discovery.removed (id, version) SELECT id, $1 FROM unnest($2::text[]) AS gone (id)
        ON CONFLICT (id) DO UPDATE SET version = excluded.version`,
      values: [this.#version, rows.map(({ id }) => id)],
    });
  }

  /** @returns the numbers of the skills, in their order */
  async #writeSkills(images: readonly SkillImage[]): Promise<string[]> {
    const texts = (of: (image: SkillImage) => string): string[] => images.map((image) => toStoredText(of(image)));
    const ids = texts(({ columns }) => columns.id);
    const columns: Column[] = [
      ['id', 'text', ids],
      ['version', 'bigint', images.map(() => this.#version)],
      ['stars', 'float8', images.map(({ columns: { stars } }) => stars)],
      ['updated_at', 'float8', images.map(({ columns: { updatedAt } }) => updatedAt)],
      ['record', 'text', texts(({ columns: { record } }) => record)],
      ['categories', 'text', texts(({ columns: { categories } }) => categories)],
      ['occupations', 'text', texts(({ columns: { occupations } }) => occupations)],
      ['tags', 'text', texts(({ columns: { tags } }) => tags)],
      ['properties', 'text', texts(({ columns: { properties } }) => properties)],
      ['copy_key', 'text', texts(({ columns: { copyKey } }) => copyKey)],
      ['place', 'text', texts(({ columns: { place } }) => place)],
      ['text_hash', 'bytea', images.map(({ columns: { textHash } }) => textHash)],
      ['hash', 'bytea', images.map(({ columns: { hash } }) => hash)],
      [
        'derived_categories',
        'text',
        images.map(({ derivedCategories: own }) => (own === undefined ? null : toStoredText(own))),
      ],
      ['contents_complete', 'boolean', images.map(({ contents }) => contents?.complete ?? null)],
    ];
    const updates = columns.slice(1).map(([name]) => `${name} = excluded.${name}`);
    const rows = await this.#insert<{ number: string; id: string }>(
      'skill',
      columns,
      `ON CONFLICT (id) DO UPDATE SET ${updates.join(', ')} RETURNING number, id`,
    );
    const numbers = new Map(rows.map(({ number, id }) => [id, number]));
    return ids.map((id) => numbers.get(id)!);
  }

  async #forgetParts(numbers: readonly string[]): Promise<void> {
    for (const table of ['skill_file', 'content_file', 'claim']) {
      await this.#run({ text: `DELETE FROM skill_discovery.${table} WHERE skill = ANY ($1)`, values: [numbers] });
    }
  }

  async #noteSources(batch: readonly ImageToWrite[]): Promise<void> {
    const met = new Set(batch.flatMap(({ image }) => image.claims.map(({ source }) => source)));
    const names = [...met].filter((name) => !this.#sources.has(name));
    if (names.length === 0) return;
    const stored = names.map(toStoredText);
    await this.#run({
      text: `INSERT INTO skill_discovery.source (name) SELECT name FROM unnest($1::text[]) AS met (name)
        ON CONFLICT (name) DO NOTHING`,
      values: [stored],
    });
    const rows = await this.#run<{ number: number; place: number }>({
      text: `SELECT number, place::int FROM unnest($1::text[]) WITH ORDINALITY AS met (name, place)
        JOIN skill_discovery.source USING (name)`,
      values: [stored],
    });
    for (const { number, place } of rows) this.#sources.set(names[place - 1]!, number);
  }

  async #insert<Row>(table: string, columns: readonly Column[], rest = ''): Promise<Row[]> {
    if (columns[0]![2].length === 0) return [];
    const names = columns.map(([name]) => name).join(', ');
    const lists = columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ');
    return this.#run<Row>({
      text: `INSERT INTO skill_discovery.${table} (${names}) SELECT * FROM unnest(${lists}) ${rest}`,
      values: columns.map(([, , values]) => values),
    });
  }
}
