export { SERVER_LIMITS } from '../limits.js';
export { type Connection, createHandler, type Handler } from './handler.js';
export type { FailureEvent, LogEvent, RequestEvent } from './log-event.js';
export { COMPATIBILITIES, type Compatibility, type HandlerOptions } from './options.js';
export type { RunningServer } from './running-server.js';
export {
  DEFAULT_HOST,
  DEFAULT_PORT,
  type ServerOptions,
  startServer,
} from './server.js';
