export type { RunningServer } from './http-server.js';
export type { FailureEvent, LogEvent, RequestEvent } from './log.js';
export {
  type MeasuredParts,
  type MetricsServer,
  openServerMetrics,
  type ServerMetrics,
  startMetricsServer,
} from './metrics.js';
export { SERVER_LIMITS } from './open-connections.js';
export {
  COMPATIBILITIES,
  type Compatibility,
  DEFAULT_LIMITS,
  type HandlerOptions,
  MCP_HTTP_LIMITS,
} from './options.js';
export type { PublishRule } from './published/publication.js';
export {
  type Connection,
  createHandler,
  DEFAULT_HOST,
  DEFAULT_PORT,
  type Handler,
  type ServerOptions,
  startServer,
} from './server.js';
