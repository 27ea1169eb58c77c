// Kinds of messages (mail.message.subtype): followers get messages of the kinds that they chose.
import { boolean, char, implement, integer, many2one, model, type Of, required, returns, text } from '#models'

const subtype = model('mail.message.subtype', {
  label: 'Message subtypes',
  order: 'sequence, id',
  changes: false,
  fields: {
    name: char({ label: 'Message Type', required: true, translate: true }),
    description: text({
      label: 'Description',
      translate: true,
      help: 'Text in messages in place of the name of the subtype.',
    }),
    internal: boolean({ label: 'Internal Only', help: 'For internal users only.' }),
    parent_id: many2one('mail.message.subtype', { label: 'Parent', ondelete: 'set null' }),
    relation_field: char({ label: 'Relation field' }),
    res_model: char({
      label: 'Model',
      help: 'The model that the message subtype is for; empty: all models.',
    }),
    default: boolean({ label: 'Default', default: true, help: 'New followers are subscribed to it.' }),
    sequence: integer({ label: 'Sequence', default: 1 }),
    hidden: boolean({ label: 'Hidden', help: 'Not offered to followers.' }),
    track_recipients: boolean({ label: 'Track Recipients' }),
  },
  methods: {
    default_subtypes: {
      doc: 'Returns three lists of subtypes of a model: those offered to followers, the defaults of new followers, and internal ones.',
      level: 'model',
      readonly: true,
      params: { model_name: required<string>('string', { annotation: 'str' }) },
      returns: returns<readonly (readonly number[])[]>('array', 'list[list[int]]'),
    },
  },
})

declare module '#models' {
  interface Models {
    'mail.message.subtype': MessageSubtype
  }
  interface MessageSubtype extends Of<typeof subtype> {}
}

export default implement(subtype, {
  methods: {
    async default_subtypes({ env }, { model_name }) {
      const kinds = await env.model('mail.message.subtype').search([['res_model', 'in', [false, model_name]]])
      const rows = await kinds.load(['default', 'internal'])
      const ids = (list: typeof rows) => list.map(({ id }) => id)
      return [
        ids(rows),
        ids(rows.filter((kind) => kind.default && !kind.internal)),
        ids(rows.filter((kind) => kind.default && kind.internal)),
      ]
    },
  },
})
