// Names that no client may call although they bear no underscore: 403, not 404 (spec/wire.md section 5,
// "Private").
import { AccessError } from '../../errors.ts'
import { type GenericMethods, generic } from './generic.ts'

const names = [
  'browse',
  'sudo',
  'with_user',
  'with_context',
  'with_env',
  'with_company',
  'with_prefetch',
  'mapped',
  'filtered',
  'filtered_domain',
  'sorted',
  'grouped',
  'exists',
  'ensure_one',
  'concat',
  'union',
  'new',
  'update',
  'modified',
  'fetch',
  'search_fetch',
  'invalidate_model',
  'invalidate_recordset',
  'flush_model',
  'flush_recordset',
  'init',
  'check_access',
  'lock_for_update',
  'try_lock_for_update',
] as const

export const hiddenMethods: GenericMethods = Object.fromEntries(
  names.map((name) => [
    name,
    generic({ doc: 'For code only.', private: true, params: {} }, () => {
      throw new AccessError(`Private methods (such as '${name}') cannot be called remotely.`)
    }),
  ]),
)
