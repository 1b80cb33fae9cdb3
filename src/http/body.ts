/** The text of a body; what has a list of texts is put together where it is sent. */
export type Body = string | ListBody;

/** A text that consists of others: `before`, the items with commas between them, `after`. */
export interface ListBody {
  readonly before: string;
  readonly items: readonly string[];
  readonly after: string;
}

export function textOf(body: Body): string {
  return typeof body === 'string' ? body : body.before + body.items.join(',') + body.after;
}
