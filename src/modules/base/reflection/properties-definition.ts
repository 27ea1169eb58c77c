// Definitions of free fields (properties.base.definition): one record for each properties field that has no
// owner of its own.
import { implement, many2one, model, type Of, propertiesDefinition, required, returns } from '#models'
import { assertAllowed } from '../rights/refusal.ts'

const definition = model('properties.base.definition', {
  label: 'Properties Base Definition',
  rules: {
    unique_properties_field_id: {
      unique: ['properties_field_id'],
      message: 'Only one definition per properties field',
    },
  },
  fields: {
    properties_field_id: many2one('ir.model.fields', {
      label: 'Properties Field',
      required: true,
      ondelete: 'cascade',
    }),
    properties_definition: propertiesDefinition({ label: 'Properties Definition' }),
  },
  methods: {
    get_properties_base_definition: {
      doc: 'The record with the definitions of a properties field that has no owner of its own: its id, name and definitions; empty before anybody defined a property.',
      level: 'model',
      readonly: true,
      params: {
        model_name: required<string>('string', { annotation: 'str' }),
        field_name: required<string>('string', { annotation: 'str' }),
      },
      returns: returns<object>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'properties.base.definition': PropertiesDefinition
  }
  interface PropertiesDefinition extends Of<typeof definition> {}
}

export default implement(definition, {
  methods: {
    get_properties_base_definition: async (definitions, { model_name, field_name }) => {
      await assertAllowed(definitions, 'read')
      // Users who read definitions may not read fields.
      const { ids } = await definitions.sudo().search(
        [
          ['properties_field_id.model', '=', model_name],
          ['properties_field_id.name', '=', field_name],
        ],
        { limit: 1 },
      )
      const [row] = await definitions.browse(ids).read(['display_name', 'properties_definition'], null)
      return row ?? {}
    },
  },
})
