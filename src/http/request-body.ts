import type { IncomingMessage, ServerResponse } from 'node:http';
import { ClientGone } from './error-content.js';
import { MALFORMED, type Refusal } from './refusal.js';

/** How much of a body is read. Both in bytes. */
export interface BodyLimits {
  /** A longer body is refused. */
  readonly bodyBytes: number;
  /**
   * Up to so many, a body that is refused is read to its end and thrown away: its sender reads the answer only then.
   */
  readonly skippedBytes: number;
}

/** A body that was not read to its end, or is too long. */
export class RefusedBody extends Error {
  override readonly name = 'RefusedBody' as const;
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** A body that arrives. */
export interface ArrivingBody {
  /** Rejects with {@link RefusedBody} or {@link ClientGone}. */
  readonly whole: Promise<Buffer>;
  /** Gives up: the rest does not arrive, or is malformed. */
  refuse(refusal: Refusal): void;
}

/**
 * Reads the body of a request into memory.
 *
 * @param hold told of the bytes that are kept, as they arrive
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  hold: (bytes: number) => void,
): ArrivingBody {
  const { bodyBytes, skippedBytes } = limits;
  let refuse = (_: Refusal): void => {};
  const whole = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length <= bodyBytes) {
        chunks.push(chunk);
        hold(chunk.length);
        return;
      }
      chunks.length = 0;
      if (length > skippedBytes) end(() => reject(new RefusedBody(tooLarge(bodyBytes))));
    };
    const onEnd = (): void => {
      if (length > bodyBytes) end(() => reject(new RefusedBody(tooLarge(bodyBytes))));
      else end(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    };
    const onGone = (): void => end(() => reject(new ClientGone()));
    const end = (settle: () => void): void => {
      request.off('data', onData).off('end', onEnd);
      response.off('close', onGone);
      settle();
    };
    refuse = (refusal) => end(() => reject(new RefusedBody(refusal)));
    // An error of a request is that its connection has ended. So the response ends as well.
    request.on('error', () => {});
    response.on('close', onGone);
    request.on('data', onData).on('end', onEnd);
  });
  return { whole, refuse: (refusal) => refuse(refusal) };
}

/** Whether a body says by itself that it is longer than what would be read and thrown away. */
export function isHopeless(length: string | undefined, { skippedBytes }: BodyLimits): boolean {
  return Number(length ?? 0) > skippedBytes;
}

/** The body of a `Request`, for whoever has no socket. */
export async function readRequestBody(request: Request, limits: BodyLimits): Promise<Buffer> {
  const { bodyBytes, skippedBytes } = limits;
  if (request.body === null) return Buffer.alloc(0);
  if (request.bodyUsed) throw new RefusedBody(MALFORMED);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ClientGone();
    });
    if (done) break;
    length += value.length;
    if (length <= bodyBytes) chunks.push(value);
    else chunks.length = 0;
    if (length > skippedBytes) {
      reader.cancel().catch(() => {});
      break;
    }
  }
  if (length > bodyBytes) throw new RefusedBody(tooLarge(bodyBytes));
  return Buffer.concat(chunks);
}

export function tooLarge(bodyBytes: number): Refusal {
  return { status: 413, code: 'BODY_TOO_LARGE', message: `the body must have at most ${bodyBytes} bytes` };
}
