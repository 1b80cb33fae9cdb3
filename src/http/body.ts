/** The text of a body. A list is joined only when it is sent, see `BodyBuffers`. */
export type Body = string | ListBody;

/** A text in parts: `before`, the items with commas between them, `after`. */
export interface ListBody {
  readonly before: string;
  readonly items: readonly string[];
  readonly after: string;
}

export function textOf(body: Body): string {
  return typeof body === 'string' ? body : body.before + body.items.join(',') + body.after;
}
