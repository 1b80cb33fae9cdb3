/** A SKILL.md split into front matter and body. The front matter is not parsed yet. */
export interface FrontMatterParts {
  /** Texts of the blocks of front matter, which follow each other directly. Empty if there is none. */
  readonly blocks: readonly string[];
  readonly body: string;
  /** Whether the front matter is opened but never closed. */
  readonly unclosed: boolean;
}

/** White space before a key that a formatter joined to the line above. */
const PULLED_UP_KEY = /(?<!\s)\s+(?=(?:name|description|version|license|author|homepage|metadata|allowed-tools):\s)/i;

interface Line {
  readonly text: string;
  /** Offset of the line's first character. */
  readonly start: number;
}

interface Block {
  readonly from: number;
  readonly to: number;
  /** Index of the first line of the body. */
  readonly next: number;
  readonly unclosed: boolean;
}

const RULE = /^-{3,}\s*$/;
const CLOSING_RULE = /^(?:-{3,}|\.{3})\s*$/;
/** What a Markdown formatter makes of the opening `---`. */
const ANY_RULE = /^(?:-{3,}|\*{3,}|_{3,}|(?:\* ){2,}\*|(?:- ){2,}-)\s*$/;
const FENCE = /^(`{3,}|~{3,})\s*(?:ya?ml|markdown|md|front-?matter)?\s*$/i;
const HEADING = /^#{1,6}\s/;
const KEY = /^["']?[A-Za-z_][\w.-]*["']?\s*:(?:\s|$)/;
const MAIN_KEY = /^(?:#{1,6}\s+)?["']?(?:name|description)["']?\s*:/i;
const HEADING_KEY = /^#{1,6}\s+(?:name|description)\s*:/i;
const USUAL_KEY =
  /^(?:name|description|license|version|author|metadata|tags|category|allowed-tools|compatibility|model)\s*:/i;
const MULTIPART_BOUNDARY = /^-{10,}\w[\w-]*\s*$/;

/**
 * Finds the front matter of a SKILL.md: between `---` lines at its beginning, or where real files have it: below blank
 * lines, a comment, a heading or the header of a form upload; in a code fence; or opened but never closed.
 *
 * @param isYaml whether a text is valid front matter. Decides whether a rule further down closes the front matter
 */
export function splitFrontMatter(source: string, isYaml: (text: string) => boolean): FrontMatterParts {
  const text = source.startsWith('\ufeff') ? source.slice(1) : source;
  const lines = splitLines(text);
  const preamble = skipPreamble(lines);
  const found = findBlock(lines, preamble, isYaml);
  if (found === undefined) return { blocks: [], body: text, unclosed: false };

  const blocks = [blockText(lines, found)];
  let { next } = found;
  const second = found.unclosed ? undefined : findSecond(lines, next);
  if (second !== undefined) {
    blocks.push(blockText(lines, second));
    next = second.next;
  }
  const before = preamble.upload ? '' : text.slice(0, lines[preamble.index]?.start ?? 0).trim();
  let body = text.slice(lines[next]?.start ?? text.length).replace(/^(?:[ \t]*\r?\n)+/, '');
  if (preamble.upload) body = withoutLastLine(body, MULTIPART_BOUNDARY);
  if (FENCE.test(lines[preamble.index]?.text ?? '')) body = withoutLastFence(body);
  return { blocks, body: before === '' ? body : `${before}\n\n${body}`, unclosed: found.unclosed };
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  const ends = /\r\n|\n|\r/g;
  let start = 0;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    lines.push({ text: text.slice(start, end.index), start });
    start = ends.lastIndex;
  }
  if (start < text.length) lines.push({ text: text.slice(start), start });
  return lines;
}

function blockText(lines: readonly Line[], block: Block): string {
  return unmarkHeadings(lines.slice(block.from, block.to).map((line) => line.text)).join('\n');
}

interface Preamble {
  /** Index of the line where front matter may begin. */
  readonly index: number;
  /** Whether headings were skipped. Then only a block with a main key counts as front matter. */
  readonly headings: boolean;
  /** Whether the file begins with the header of a form upload. */
  readonly upload: boolean;
}

function skipPreamble(lines: readonly Line[]): Preamble {
  let headings = false;
  let upload = false;
  let index = 0;
  for (; index < lines.length; index++) {
    const line = textAt(lines, index);
    if (line.trim() === '') continue;
    if (line.startsWith('<!--')) {
      let end = index;
      while (end < lines.length && !textAt(lines, end).includes('-->')) end++;
      if (end === lines.length) break;
      index = end;
    } else if (MULTIPART_BOUNDARY.test(line) && /^content-/i.test(textAt(lines, index + 1))) {
      upload = true;
      while (index < lines.length && textAt(lines, index).trim() !== '') index++;
    } else if (HEADING.test(line) && !HEADING_KEY.test(line)) {
      headings = true;
    } else break;
  }
  return { index, headings, upload };
}

function findBlock(lines: readonly Line[], preamble: Preamble, isYaml: (text: string) => boolean): Block | undefined {
  const { index } = preamble;
  const first = textAt(lines, index);
  const fence = FENCE.exec(first)?.[1];
  if (fence !== undefined) return findFenced(lines, index + 1, fence);

  const inside = nextVisible(lines, index + 1);
  if (RULE.test(first)) {
    if (index < lines.length && CLOSING_RULE.test(textAt(lines, inside)) && !preamble.headings) {
      return { from: inside, to: inside, next: inside + 1, unclosed: false };
    }
    return closedOrNot(lines, index + 1, preamble.headings, isYaml);
  }
  if (ANY_RULE.test(first) && HEADING_KEY.test(textAt(lines, inside))) {
    return closedOrNot(lines, index + 1, true, isYaml);
  }
  // The opening rule is missing.
  if (MAIN_KEY.test(first) && !preamble.headings) {
    const end = leadingKeys(lines, index);
    const closing = nextVisible(lines, end);
    if (RULE.test(textAt(lines, closing))) return { from: index, to: end, next: closing + 1, unclosed: false };
    const both = lines.slice(index, end).filter((line) => MAIN_KEY.test(line.text)).length > 1;
    if (both || HEADING_KEY.test(first)) return { from: index, to: end, next: end, unclosed: true };
  }
  return undefined;
}

function closedOrNot(
  lines: readonly Line[],
  from: number,
  mustHaveMainKey: boolean,
  isYaml: (text: string) => boolean,
): Block | undefined {
  if (!beginsWithKey(lines, from)) return undefined;
  const end = leadingKeys(lines, from);
  const close = lines.findIndex((line, at) => at >= from && CLOSING_RULE.test(line.text));
  const block =
    close !== -1 && isClosedBy(lines, from, end, close, isYaml)
      ? { from, to: close, next: close + 1, unclosed: false }
      : { from, to: end, next: end, unclosed: true };
  const hasMainKey = lines.slice(from, block.to).some((line) => MAIN_KEY.test(line.text));
  return hasMainKey || (!mustHaveMainKey && !block.unclosed) ? block : undefined;
}

/** Whether a rule further down closes the front matter, and does not belong to the body. */
function isClosedBy(
  lines: readonly Line[],
  from: number,
  end: number,
  close: number,
  isYaml: (text: string) => boolean,
): boolean {
  if (end >= close) return true;
  const between = lines.slice(end, close).map((line) => line.text);
  if (isYaml(blockText(lines, { from, to: close, next: close, unclosed: false }))) {
    // In YAML a Markdown heading is a comment, so a body of headings alone would pass.
    return !between.some((line) => HEADING.test(line)) || between.some((line) => KEY.test(line));
  }
  if (textAt(lines, end).startsWith('#') && !HEADING_KEY.test(textAt(lines, end))) return false;
  // Text that lost its indentation.
  if (textAt(lines, end).trim() !== '') return true;
  // After a blank line the block goes on only if a key follows before any heading or code.
  const body = between.findIndex((line) => HEADING.test(line) || FENCE.test(line));
  return between.slice(0, body === -1 ? between.length : body).some((line) => USUAL_KEY.test(line));
}

/** Finds front matter in a code fence, with or without `---` lines in it. */
function findFenced(lines: readonly Line[], from: number, fence: string): Block | undefined {
  const closesFence = (line: string): boolean => line.trim() === fence;
  const first = nextVisible(lines, from);
  const ruled = RULE.test(textAt(lines, first));
  const start = ruled ? first + 1 : first;
  const end = lines.findIndex(
    ({ text }, at) => at >= start && (closesFence(text) || (ruled && CLOSING_RULE.test(text))),
  );
  if (end === -1 || !beginsWithKey(lines, start)) return undefined;
  if (!lines.slice(start, end).some((line) => MAIN_KEY.test(line.text))) return undefined;

  const after = nextVisible(lines, end + 1);
  const next = ruled && closesFence(textAt(lines, after)) ? after + 1 : end + 1;
  return { from: start, to: end, next, unclosed: false };
}

function findSecond(lines: readonly Line[], next: number): Block | undefined {
  const first = nextVisible(lines, next);
  if (!RULE.test(textAt(lines, first)) || !beginsWithKey(lines, first + 1)) return undefined;
  const close = lines.findIndex((line, at) => at > first && CLOSING_RULE.test(line.text));
  // A rule, `Note: …` and another rule may be plain Markdown.
  if (close === -1 || !lines.slice(first + 1, close).some((line) => MAIN_KEY.test(line.text))) return undefined;
  if (leadingKeys(lines, first + 1) < close) return undefined;
  return { from: first + 1, to: close, next: close + 1, unclosed: false };
}

function beginsWithKey(lines: readonly Line[], from: number): boolean {
  let at = nextVisible(lines, from);
  while (/^#/.test(textAt(lines, at)) && !HEADING_KEY.test(textAt(lines, at))) at = nextVisible(lines, at + 1);
  return KEY.test(textAt(lines, at)) || HEADING_KEY.test(textAt(lines, at)) || MAIN_KEY.test(textAt(lines, at));
}

/** Index of the line after the leading keys and the lines that belong to them. */
function leadingKeys(lines: readonly Line[], from: number): number {
  let end = from;
  for (let at = from; at < lines.length; at++) {
    const line = textAt(lines, at);
    if (line.trim() === '') continue;
    const isKey = KEY.test(line) || MAIN_KEY.test(line);
    const isBelowKey = at > from && (/^[ \t]/.test(line) || (/^-\s/.test(line) && at === end));
    if (!isKey && !isBelowKey) {
      if (!line.startsWith('#')) break;
      // A run of lines with `#` is comments if a key follows directly, else headings.
      while (textAt(lines, at + 1).startsWith('#') && !HEADING_KEY.test(textAt(lines, at + 1))) at++;
      const below = textAt(lines, at + 1);
      if (!KEY.test(below) && !HEADING_KEY.test(below) && !/^[ \t]+\S/.test(below)) break;
    }
    end = at + 1;
  }
  return end;
}

/**
 * Undoes what a Markdown formatter did. It took the text above `---` for a heading (`## name: x`), and perhaps joined
 * the keys of the next lines to it. If the key is also there without `#`, the heading is a comment and stays.
 */
function unmarkHeadings(lines: readonly string[]): string[] {
  const present = new Set(lines.map((line) => /^(name|description)\s*:/i.exec(line)?.[1]?.toLowerCase()));
  return lines.flatMap((line) => {
    const [, key, rest = ''] = /^#{1,6}\s+(name|description)\s*:(.*)$/i.exec(line) ?? [];
    if (key === undefined || present.has(key.toLowerCase())) return [line];
    return `${key}:${rest}`.split(PULLED_UP_KEY);
  });
}

/** If the whole file is in a code fence, its last line closes that fence. */
function withoutLastFence(body: string): string {
  const fences = body.match(/^(?:`{3,}|~{3,})/gm)?.length ?? 0;
  return fences % 2 === 1 ? withoutLastLine(body, /^(?:`{3,}|~{3,})$/) : body;
}

function withoutLastLine(text: string, pattern: RegExp): string {
  const visible = text.trimEnd();
  const start = Math.max(visible.lastIndexOf('\n'), visible.lastIndexOf('\r')) + 1;
  return pattern.test(visible.slice(start)) ? `${visible.slice(0, start).trimEnd()}\n` : text;
}

function nextVisible(lines: readonly Line[], from: number): number {
  let at = from;
  while (at < lines.length && textAt(lines, at).trim() === '') at++;
  return at;
}

function textAt(lines: readonly Line[], index: number): string {
  return lines[index]?.text ?? '';
}
