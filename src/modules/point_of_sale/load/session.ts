// Loading as sessions and products offer it to tills.
import { extend, implement, type Of, optional, required, returns } from '#models'
import { loadChanges } from './changes.ts'
import { filterLocalData, loadData, loadProducts } from './load.ts'
import { tillModels } from './read-models.ts'

const object = returns<object>('object', 'dict')

const session = extend('pos.session', {
  fields: {},
  methods: {
    load_data: {
      doc: 'Data that a till needs to sell: lists of records by model; no models means all.',
      readonly: true,
      params: { models_to_load: required<unknown[]>('array', { annotation: 'list[str]' }) },
      returns: object,
    },
    load_changes: {
      doc: 'Changes of that data since the version of an earlier answer: rows, ids that are no longer sold, and the next version. Without a version, all.',
      readonly: true,
      params: {
        models_to_load: required<unknown[]>('array', { annotation: 'list[str]' }),
        version: optional<unknown>('any', false, { annotation: 'str | bool' }),
      },
      returns: object,
    },
    till_models: {
      doc: 'Fields and records that tills load, model by model; modules wrap it to add theirs.',
      level: 'model',
      private: true,
      params: {},
      returns: object,
    },
    filter_local_data: {
      doc: "Returns those of a till's ids, by model, that no longer exist.",
      readonly: true,
      params: {
        models_to_filter: required<Record<string, unknown>>('object', { annotation: 'dict[str, list[int]]' }),
      },
      returns: object,
    },
  },
})

const template = extend('product.template', {
  fields: {},
  methods: {
    load_product_from_pos: {
      doc: 'Products that a till asks for later, with their variants and taxes.',
      level: 'model',
      readonly: true,
      params: {
        config_id: required<number>('integer'),
        domain: required<unknown[]>('domain', { annotation: 'DomainType' }),
        offset: optional<number | null>('offset', 0, { annotation: 'int' }),
        limit: optional<number | null>('limit', 0, { annotation: 'int' }),
      },
      returns: object,
    },
  },
})

declare module '#models' {
  interface PosSession extends Of<typeof session> {}
  interface ProductTemplate extends Of<typeof template> {}
}

export const loading = [
  implement(session, {
    methods: {
      load_data: (sessions, { models_to_load }) => loadData(sessions, models_to_load),
      load_changes: (sessions, { models_to_load, version }) => loadChanges(sessions, models_to_load, version),
      till_models: () => tillModels,
      filter_local_data: (sessions, { models_to_filter }) => filterLocalData(sessions, models_to_filter),
    },
  }),
  implement(template, {
    methods: {
      load_product_from_pos: ({ env }, { config_id, domain, offset, limit }) =>
        loadProducts(env, config_id, domain, { offset, limit }),
    },
  }),
] as const
