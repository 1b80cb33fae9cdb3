/** A member of an object in a JSON text, by places in the text. */
interface Member {
  readonly name: string;
  /** Of the quote before its name. */
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

interface ObjectText {
  readonly members: readonly Member[];
  /** Of its closing bracket. */
  readonly end: number;
}

/**
 * Sets a member of an object inside a JSON text. Everything else stays byte for byte. A new member stands before the
 * first one whose name is greater, so that sorted ones stay sorted, or at the end.
 *
 * @param text JSON of an object that has an object under `outer`
 * @param outer the name of that object
 */
export function setJsonMember(text: string, outer: string, name: string, value: unknown): string {
  const top = readObject(text, text.indexOf('{'));
  const holder = top.members.findLast((member) => member.name === outer)!;
  const { members, end } = readObject(text, holder.valueStart);
  const outerBreak = breakBefore(text, holder.start);
  const indent = outerBreak.replace(/^\r?\n/, '');
  const innerBreak = members[0] === undefined ? outerBreak && outerBreak + indent : breakBefore(text, members[0].start);
  const unit = innerBreak.startsWith(outerBreak) ? innerBreak.slice(outerBreak.length) : indent;
  const written = JSON.stringify(value, null, innerBreak === '' ? undefined : unit).replaceAll('\n', innerBreak);
  // Of several members of one name, readers take the last.
  const former = members.findLast((member) => member.name === name);
  if (former !== undefined) return splice(text, former.valueStart, former.valueEnd, written);
  const member = `${JSON.stringify(name)}:${innerBreak === '' ? '' : ' '}${written}`;
  const next = members.find((other) => other.name > name);
  if (next !== undefined) return splice(text, next.start, next.start, `${member},${innerBreak}`);
  const last = members.at(-1);
  if (last === undefined) return splice(text, holder.valueStart + 1, end, innerBreak + member + outerBreak);
  return splice(text, last.valueEnd, last.valueEnd, `,${innerBreak}${member}`);
}

function splice(text: string, start: number, end: number, part: string): string {
  return text.slice(0, start) + part + text.slice(end);
}

/** The line break and the indentation before a member; empty if it stands in the line of the one before. */
function breakBefore(text: string, start: number): string {
  return /\r?\n[\t ]*$/.exec(text.slice(0, start))?.[0] ?? '';
}

/** @param start of the opening bracket; the text is known to be JSON */
function readObject(text: string, start: number): ObjectText {
  const members: Member[] = [];
  let at = skipBlanks(text, start + 1);
  while (text[at] !== '}') {
    const nameEnd = endOfValue(text, at);
    const valueStart = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    members.push({ name: JSON.parse(text.slice(at, nameEnd)) as string, start: at, valueStart, valueEnd });
    at = skipBlanks(text, valueEnd);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return { members, end: at };
}

function skipBlanks(text: string, at: number): number {
  let end = at;
  while (/[\t\n\r ]/.test(text[end] ?? '')) end += 1;
  return end;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (depth === 0 && !/[\w.+-]/.test(character)) return at;
    else continue;
    if (depth === 0) return at + 1;
    if (depth < 0) return at;
  }
  return text.length;
}

/** The place of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
