/** The text of a body, or its bytes. A list is joined only when it is sent, see `BodyBuffers`. */
export type Body = string | ListBody | Uint8Array<ArrayBuffer>;

/** A text in parts: `before`, the items with commas between them, `after`. */
export interface ListBody {
  readonly before: string;
  readonly items: readonly string[];
  readonly after: string;
}

/** A body in one piece, as it is sent. */
export function wholeOf(body: Body): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  return body.before + body.items.join(',') + body.after;
}
