import { checkInteger, MAX_LISTED, parameterOf } from '../core/index.js';

/** Which items are on a page of a list: from the first number up to the second. */
export function pageOf(page: number | undefined): readonly [from: number, to: number] {
  const to = (checkInteger(parameterOf('page'), page, 1, Number.MAX_SAFE_INTEGER) ?? 1) * MAX_LISTED;
  return [to - MAX_LISTED, to];
}
