import { foldAccents, isUnspacedTerm, stemOf } from '../../src/core/index.js';

/** Whether a term of a text answers a term of the question. */
export type Accepts = (asked: string, found: string) => boolean;

/** Whether a term of a text answers a term of a question as it stands or by its stem. */
export const asItStands: Accepts = (asked, found) => {
  if (!isUnspacedTerm(asked)) return !isUnspacedTerm(found) && stemOf(asked) === stemOf(found);
  const [askedForm, form] = [foldAccents(asked), foldAccents(found)];
  return [...asked].length === 1 ? isUnspacedTerm(found) && form.startsWith(askedForm) : askedForm === form;
};
