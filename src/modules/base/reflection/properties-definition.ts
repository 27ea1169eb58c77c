// Definitions of free fields (properties.base.definition): one record for each properties field that has no
// owner of its own.
import { implement, many2one, model, type Of, propertiesDefinition } from '#models'

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
})

declare module '#models' {
  interface Models {
    'properties.base.definition': PropertiesDefinition
  }
  interface PropertiesDefinition extends Of<typeof definition> {}
}

export default implement(definition)
