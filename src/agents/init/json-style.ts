import type { JsonValue } from './config-format.js';
import { lineStart } from './json-trivia.js';

/** How a text of JSON is laid out. */
export interface JsonStyle {
  /** That of the first line. */
  readonly lineBreak: '\n' | '\r\n';
  /** One step of indentation. */
  readonly step: string;
  /** Whether everything is in one line. */
  readonly isOneLine: boolean;
  /** What stands after a colon or a comma within a line. */
  readonly gap: '' | ' ';
}

/** How an existing text is laid out; two spaces and LF where it does not say. */
export function jsonStyleOf(text: string): JsonStyle {
  const isOneLine = text.length > 0 && !/[\r\n]/.test(text.trim()) && /[^\s{}[\]]/.test(text);
  return {
    lineBreak: /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n',
    step: /[\r\n]([ \t]+)[^\s]/.exec(text)?.[1] ?? '  ',
    isOneLine,
    gap: isOneLine && !/[:,] /.test(text) ? '' : ' ',
  };
}

/** A value in lines, without the indentation of the first. */
export function jsonInLines(value: JsonValue, style: JsonStyle, indentation: string): string {
  return JSON.stringify(value, undefined, style.step).replaceAll('\n', style.lineBreak + indentation);
}

/** A value in one line. */
export function jsonInOneLine(value: JsonValue, gap: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => jsonInOneLine(one, gap)).join(`,${gap}`)}]`;
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${gap}${jsonInOneLine(one, gap)}`);
  return `{${members.join(`,${gap}`)}}`;
}

/** The white space that a line begins with. */
export function indentationAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))![0];
}
