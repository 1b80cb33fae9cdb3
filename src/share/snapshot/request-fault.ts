/** What the codes of Node.js mean for somebody who gave an address. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNRESET: 'the connection broke off',
  ECONNREFUSED: 'nothing listens there: the connection was refused',
  ETIMEDOUT: 'no connection came about',
  ENOTFOUND: 'no machine has that name',
  EAI_AGAIN: 'its name could not be looked up',
};

/** What OpenSSL says of an answer that is none of TLS. */
const NO_TLS = /wrong version number|packet length too long|record layer failure|http request/i;

/** Says in a sentence why a request failed. */
export function requestFault(error: Error): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  // Versions of Node.js differ in the code.
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    if (NO_TLS.test(message)) return 'what answers there does not speak https: is the address one of http?';
    const [, reason = message.trim()] = /SSL routines:[^:]*:([^:]+)/.exec(message) ?? [];
    return `no TLS connection came about: ${reason}`;
  }
  if (code.startsWith('HPE_')) return 'what answers there does not speak http: is the address one of https?';
  // Of a name with several addresses, each with an error of its own, there is no message.
  return SENTENCES[code] ?? (message === '' ? code : message);
}
