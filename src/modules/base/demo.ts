// Contacts of the demonstration data: companies, their employees and an address.
import { type DataSet, ref } from '#models'

const companies: DataSet = {
  model: 'res.partner',
  noupdate: true,
  records: {
    demo_partner_harbour: {
      name: 'Harbour Supplies',
      is_company: true,
      street: '12 Quay Road',
      city: 'Portland',
      zip: '97201',
      country_id: ref('us'),
      email: 'office@harbour.example.com',
    },
    demo_partner_orchard: {
      name: 'Orchard & Daughters',
      is_company: true,
      street: '4 Apple Lane',
      city: 'Burlington',
      zip: '05401',
      country_id: ref('us'),
      email: 'post@orchard.example.com',
    },
  },
}

const people: DataSet = {
  model: 'res.partner',
  noupdate: true,
  records: {
    demo_partner_ada: {
      name: 'Ada Marsh',
      parent_id: ref('demo_partner_harbour'),
      function: 'Purchasing',
      email: 'ada@harbour.example.com',
    },
    demo_partner_tom: {
      name: 'Tom Field',
      parent_id: ref('demo_partner_orchard'),
      function: 'Owner',
      email: 'tom@orchard.example.com',
    },
    demo_partner_store: {
      name: 'Orchard store',
      parent_id: ref('demo_partner_orchard'),
      type: 'delivery',
      street: '9 Mill Street',
      city: 'Burlington',
      zip: '05401',
      country_id: ref('us'),
    },
  },
}

export const demo: readonly DataSet[] = [companies, people]
