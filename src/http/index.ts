export { type Connection, createHandler, type Handler } from './handler.js';
export type { FailureEvent, LogEvent, RequestEvent } from './log-event.js';
export { MCP_HTTP_LIMITS } from './mcp-messages.js';
export { type MetricsServer, startMetricsServer } from './metrics-server.js';
export { SERVER_LIMITS } from './open-connections.js';
export {
  COMPATIBILITIES,
  type Compatibility,
  DEFAULT_LIMITS,
  type HandlerOptions,
} from './options.js';
export type { PublishRule } from './published/publish-rule.js';
export type { RunningServer } from './running-server.js';
export {
  DEFAULT_HOST,
  DEFAULT_PORT,
  type ServerOptions,
  startServer,
} from './server.js';
export { type MeasuredParts, openServerMetrics, type ServerMetrics } from './server-metrics.js';
