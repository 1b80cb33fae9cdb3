/** One key of front matter: its line, and the lines that belong to it. */
interface Entry {
  readonly key: string;
  readonly lines: string[];
}

const KEY_LINE = /^(?:"([^"]+)"|'([^']+)'|([A-Za-z_][\w.-]*))\s*:(?:\s+(.*))?$/;
const BLOCK_HEADER = /^([|>])[+-]?\d?[+-]?\s*(?:#.*)?$/;
const MAX_ENTRIES = 500;

/**
 * Reads front matter that is not valid YAML, key by key: a broken entry cannot spoil another one. If a key occurs
 * twice, its last value that is not blank counts.
 *
 * @param parse reads a single entry as YAML; undefined if it is not YAML, and then its text is taken as it is
 */
export function readLooseFields(text: string, parse: (entry: string, key: string) => unknown): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const entry of entries(text.split('\n'))) {
    const value = parse(entry.lines.join('\n'), entry.key) ?? plainValue(entry.lines);
    if (!isBlankValue(value) || !fields.has(entry.key)) fields.set(entry.key, value);
  }
  return fields;
}

/** Whether the value of a field is missing or blank. */
export function isBlankValue(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function entries(lines: readonly string[]): Entry[] {
  const found: Entry[] = [];
  for (const line of lines) {
    const match = KEY_LINE.exec(line);
    const key = match?.[1] ?? match?.[2] ?? match?.[3];
    if (key !== undefined && found.length < MAX_ENTRIES) found.push({ key, lines: [line] });
    // Text that lost its indentation belongs to the key above it.
    else if (!line.startsWith('#')) found.at(-1)?.lines.push(line);
  }
  return found;
}

function plainValue(lines: readonly string[]): string | undefined {
  const [, , , , first = ''] = KEY_LINE.exec(lines[0] ?? '') ?? [];
  const below = lines.slice(1);
  const style = BLOCK_HEADER.exec(first)?.[1];
  if (style !== undefined) return style === '|' ? unindent(below) : fold(below);

  const words = fold([first.replace(/^[|>][+-]?\d?[+-]?\s+/, '').replace(/^-\s+/, ''), ...below.map(withoutItemMark)]);
  if (words === '' || /^(?:~|null)$/i.test(words)) return undefined;
  return unquote(words);
}

function withoutItemMark(line: string): string {
  return line.replace(/^\s*-\s+/, '');
}

function unindent(lines: readonly string[]): string {
  const visible = lines.filter((line) => line.trim() !== '');
  const indent = Math.min(80, ...visible.slice(0, 1000).map((line) => line.length - line.trimStart().length));
  return lines
    .map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)))
    .join('\n')
    .trim();
}

/** Joins lines with spaces. A blank line becomes a line break. */
function fold(lines: readonly string[]): string {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    const words = line.trim();
    if (words !== '') paragraphs.at(-1)?.push(words);
    else if (paragraphs.at(-1)?.length !== 0) paragraphs.push([]);
  }
  return paragraphs
    .map((words) => words.join(' '))
    .join('\n')
    .trim();
}

/** Removes quotes, even if only one of them is there, and resolves the usual escapes. */
function unquote(text: string): string {
  if (text.startsWith('"')) {
    const inner = text.slice(1).replace(/(?<!\\)"\s*$/, '');
    return inner.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/ntr]))/g, (_, hex: string | undefined, mark: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return { n: '\n', t: '\t', r: '\n' }[mark] ?? mark;
    });
  }
  if (text.startsWith("'")) return text.slice(1).replace(/'\s*$/, '').replaceAll("''", "'");
  if (text.startsWith('[') && text.endsWith(']')) return text.slice(1, -1).trim();
  return text;
}
