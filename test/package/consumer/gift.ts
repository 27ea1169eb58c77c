// A module of somebody who installed the package, with the contacts of `base` in view
// (test/package/package.test.ts).
import {
  char,
  computed,
  defineModule,
  implement,
  many2one,
  model,
  type Of,
  optional,
  ref,
  returns,
} from 'comptoir/models'
import type {} from 'comptoir/modules/base'

const gift = model('gift.gift', {
  label: 'Gift',
  fields: {
    name: char({ required: true }),
    partner_id: many2one('res.partner', { required: true }),
    label: char({ computed: true }),
  },
  methods: {
    greet: {
      doc: 'Greets the receiver.',
      params: { loudly: optional<boolean>('boolean', false, { doc: 'In capitals' }) },
      returns: returns<string>('string', 'str'),
    },
  },
})
declare module 'comptoir/models' {
  interface Models {
    'gift.gift': Gift
  }
  interface Gift extends Of<typeof gift> {}
}

export default defineModule({
  name: 'gift',
  version: '1.0',
  summary: 'Gifts for contacts',
  depends: ['base'],
  models: [
    implement(gift, {
      computed: {
        label: computed(
          gift,
          ['name', 'partner_id.name'],
          (present) => `${present.name} for ${present.partner_id.name}`,
        ),
      },
      methods: {
        greet: async (gifts, { loudly }) => {
          const { partner_id: partner } = await gifts.one(['partner_id.name'])
          const text = `Hello ${partner.name}`
          return loudly ? text.toUpperCase() : text
        },
      },
    }),
  ],
  data: [
    {
      model: 'ir.model.access',
      records: {
        access_gift: {
          name: 'gift',
          model_id: ref('gift.model_gift_gift'),
          group_id: ref('base.group_user'),
          perm_read: true,
          perm_create: true,
        },
      },
    },
  ],
})

// @ts-expect-error: no such field at the end of the path
computed(gift, ['partner_id.emial'], () => '')
