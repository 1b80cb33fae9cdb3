export { isPostgresAddress } from '../core/index.js';
export { type Access, openAccess } from './access.js';
export type { ApiKey, NewApiKey } from './api-key.js';
export { KEY_PREFIXES, type KeyForm, type NewKeyOptions } from './api-key.js';
export { clientOfAddress, shortenAddress } from './client-address.js';
export type { Client, KeysAndQuotas } from './keys-and-quotas.js';
export { type Admission, type QuotaLeft, type SharedAdmission, UNLIMITED_ADMISSION } from './keys-and-quotas.js';
export type { SharedAccessOptions, StateEvent } from './options.js';
export {
  type AccessOptions,
  DEFAULT_ANONYMOUS_QUOTA,
  DEFAULT_KEY_QUOTA,
  type Quota,
  UNLIMITED,
} from './options.js';
export type { SharedAccess } from './shared-access.js';
export { connectAccess } from './shared-access.js';
