// What the routes under /x/1 are given.
import type { Extensions } from '../../config/index.ts'
import type { Backend } from '../../wire/backend.ts'
import type { Bodies } from '../body.ts'

export interface ExtensionOptions {
  readonly backend: Backend
  readonly bodies: Bodies
  readonly extensions: Extensions
}
