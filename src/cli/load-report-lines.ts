import type { LoadReport } from '../index.js';
import { oneLine } from './terminal-text.js';

/** Rows and warnings that are listed; `--json` has all. */
const MAX_PRINTED = 20;

const COUNTS = ['added', 'updated', 'unchanged', 'removed'] as const;

/** The report of a load. */
export function loadReportLines(report: LoadReport): string[] {
  const lines = COUNTS.map((name) => countLine(name, report[name]));
  if (report.embedded > 0) lines.push(countLine('embedded', report.embedded));
  if (report.classified > 0) lines.push(countLine('classified', report.classified));
  lines.push(countLine('warnings', report.warningCount), ...warningLines(report));
  lines.push(countLine('rejected', report.rejectedCount), ...rejectedLines(report));
  return lines;
}

function countLine(name: string, count: number): string {
  return `${name.padEnd(10)}${count.toLocaleString('en').padStart(9)}`;
}

/** The first warnings of a load. */
export function warningLines({ warnings, warningCount }: LoadReport): string[] {
  const told = warnings.map(({ origin, line, message }) => ({ origin, line, text: message }));
  return problemLines(told, warningCount);
}

/** The first rejected rows of a load. */
export function rejectedLines({ rejected, rejectedCount }: LoadReport): string[] {
  const told = rejected.map(({ origin, line, reason }) => ({ origin, line, text: reason }));
  return problemLines(told, rejectedCount);
}

interface Problem {
  readonly origin: string;
  readonly line: number | undefined;
  readonly text: string;
}

/** @param count of all problems, listed or not */
function problemLines(problems: readonly Problem[], count: number): string[] {
  const lines = problems
    .slice(0, MAX_PRINTED)
    .map(({ origin, line, text }) => `  ${oneLine(`${origin}${line === undefined ? '' : `:${line}`}: ${text}`)}`);
  const left = count - lines.length;
  const all = count === problems.length ? 'all of them' : `the first ${problems.length.toLocaleString('en')}`;
  return left > 0 ? [...lines, `  … and ${left.toLocaleString('en')} more (${all} with --json)`] : lines;
}
