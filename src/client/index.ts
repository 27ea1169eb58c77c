// Entry of `comptoir/client`: a typed client over JSON-2 for Node and browsers, without dependencies.
export {
  AccessDenied,
  AccessError,
  BadRequest,
  ConcurrencyError,
  Gone,
  InternalError,
  InvalidApiKey,
  InvalidValue,
  LockError,
  MethodNotAllowed,
  MissingError,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  RedirectWarning,
  ServiceError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  UnprocessableEntity,
  UnsupportedMediaType,
  UserError,
  ValidationError,
} from '../errors.ts'
export type { BatchCall, BatchResult } from './batch.ts'
export type { Change, ChangesPage, ChangesQuestion } from './changes.ts'
export { type Client, createClient, type UserContext, type Version } from './connect.ts'
export type { DomainOf, Operator } from './domains.ts'
export type { ModelClient } from './model.ts'
export { Position } from './position.ts'
export type {
  CountQuery,
  MethodOptions,
  NameQuery,
  PageQuery,
  ReadOptions,
  SearchQuery,
  UpsertOutcome,
} from './queries.ts'
export type { RetryPolicy } from './retry.ts'
export type { ExportQuery, ImportedRow, ImportOptions, ImportTally, RowSource } from './rows.ts'
export type { Field, FieldName, Kind, Method, Model, ModelName } from './schema.ts'
export type {
  Command,
  FieldInfo,
  Form,
  Load,
  MethodName,
  Named,
  NewValuesOf,
  ParamsOf,
  ResultOf,
  Row,
  ValuesOf,
  WireValue,
} from './shapes.ts'
export type { CallOptions, ConnectOptions } from './transport.ts'
export { InvalidWebhook, verifyWebhook, type WebhookEvent, type WebhookRequest } from './webhooks.ts'
