// Contacts (res.partner) that are found or made on the way: by an email address, or the company of a person.
import { extend, implement, type Of, optional, type Records, required, returns, type Vals } from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { assertAllowed } from '../rights/refusal.ts'
import { readonlyActionMethod, shownRecords } from '../shown.ts'
import { parseNameAndEmail } from './partner-text.ts'

type Partners = Records<'res.partner'>

const partner = extend('res.partner', {
  fields: {},
  methods: {
    find_or_create: {
      doc: 'The contact with an email address, created if it does not exist. Takes an address, or a name with one in angle brackets.',
      level: 'model',
      params: {
        email: required<string>('string'),
        assert_valid_email: optional<boolean>('boolean', false, {
          doc: 'Raise an error for a text without an email address',
          annotation: 'bool',
        }),
      },
      returns: returns<number[]>('ids', 'list[int]'),
    },
    create_company: {
      doc: 'Creates the company of a person from company_name, with the address of the person, and makes it their parent.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    open_commercial_entity: readonlyActionMethod('Shows the company of a contact.'),
    can_edit_vat: {
      doc: "Whether the tax number is the contact's own and not that of its company.",
      readonly: true,
      params: {},
      returns: returns<boolean>('boolean', 'bool'),
    },
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

async function findOrCreate(partners: Partners, text: string, mustBeValid: boolean): Promise<number[]> {
  const { name, email } = parseNameAndEmail(text)
  if (text.trim() === '') throw new InvalidValue('An email address is required to find a contact.')
  if (email === null && mustBeValid) throw new InvalidValue('The text contains no email address: send one.')
  if (email !== null) {
    const pattern = email.replace(/[\\%_]/g, (sign) => `\\${sign}`)
    const contacts = await partners.search([['email', '=ilike', pattern]], { limit: 1, order: 'id' })
    if (contacts.length) return [...contacts.ids]
  }
  const contact = await partners.create([{ name, ...(email === null ? {} : { email }) }])
  return [...contact.ids]
}

const address = ['street', 'street2', 'zip', 'city', 'state_id', 'country_id'] as const

async function createCompany(partners: Partners): Promise<true> {
  partners.ensureOne()
  await assertAllowed(partners, 'write')
  const person = await partners.one(['company_name', 'vat', 'company_id', 'lang', ...address])
  if (!person.company_name) throw new UserError('The contact has no company name: set company_name first.')
  const vals: Vals<'res.partner'> = {
    name: person.company_name,
    is_company: true,
    vat: person.vat,
    company_id: person.company_id?.id ?? false,
    lang: person.lang,
    street: person.street,
    street2: person.street2,
    zip: person.zip,
    city: person.city,
    state_id: person.state_id?.id ?? false,
    country_id: person.country_id?.id ?? false,
  }
  const company = await partners.create([vals])
  await partners.write({ parent_id: company.ensureOne(), company_name: false })
  return true
}

export const partnerMaking = implement(partner, {
  methods: {
    find_or_create: (partners, { email, assert_valid_email }) =>
      findOrCreate(partners, email, assert_valid_email),
    create_company: createCompany,
    open_commercial_entity: async (partners) => {
      const { commercial_partner_id: entity } = await partners.one(['commercial_partner_id'])
      return shownRecords('Company', 'res.partner', [entity?.id ?? partners.ensureOne()])
    },
    can_edit_vat: async (partners) => !(await partners.one(['parent_id'])).parent_id,
  },
})
