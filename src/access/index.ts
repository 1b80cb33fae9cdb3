export { type Access, type Admission, type Client, openAccess, UNLIMITED_ADMISSION } from './access.js';
export { type ApiKey, KEY_PREFIXES, type KeyForm, type NewApiKey, type NewKeyOptions } from './api-keys.js';
export { clientOfAddress, shortenAddress } from './client-address.js';
export {
  type AccessOptions,
  DEFAULT_ANONYMOUS_QUOTA,
  DEFAULT_KEY_QUOTA,
  type Quota,
  UNLIMITED,
} from './options.js';
