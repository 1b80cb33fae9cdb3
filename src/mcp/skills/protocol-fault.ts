/** Codes of JSON-RPC. */
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** A request that is answered with an error of the protocol. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault' as const;
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
