export { isPostgresAddress } from '../core/index.js';
export { type Access, openAccess } from './access.js';
export { type ApiKey, KEY_PREFIXES, type KeyForm, type NewApiKey, type NewKeyOptions } from './api-key.js';
export { clientOfAddress, shortenAddress } from './client-address.js';
export {
  type Admission,
  type Client,
  type KeysAndQuotas,
  type QuotaLeft,
  type SharedAdmission,
  UNLIMITED_ADMISSION,
} from './keys-and-quotas.js';
export {
  type AccessOptions,
  DEFAULT_ANONYMOUS_QUOTA,
  DEFAULT_KEY_QUOTA,
  type Quota,
  type SharedAccessOptions,
  type StateEvent,
  UNLIMITED,
} from './options.js';
export { connectAccess, type SharedAccess } from './shared-access.js';
