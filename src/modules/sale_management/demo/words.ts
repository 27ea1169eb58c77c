// Words of the shop to look at: what it sells, who buys there. The shop and its people are made up.

export interface Shelf {
  readonly category: string
  /** Letters before the number in references. */
  readonly code: string
  readonly nouns: readonly string[]
  readonly kinds: readonly string[]
  /** Prices lie between these. */
  readonly prices: readonly [number, number]
  readonly service?: boolean
}

/** Every noun comes in every kind. */
export const shelves: readonly Shelf[] = [
  {
    category: 'Coffee',
    code: 'COF',
    nouns: ['House Blend', 'Dark Roast', 'Decaf', 'Single Origin', 'Espresso'],
    kinds: ['Beans', 'Ground', 'Capsules', 'Pads', 'Tin'],
    prices: [6, 24],
  },
  {
    category: 'Tea',
    code: 'TEA',
    nouns: ['Green Tea', 'Black Tea', 'Mint Tea', 'Rooibos', 'Earl Grey'],
    kinds: ['Loose', 'Bags', 'Pyramids', 'Gift Tin', 'Sampler'],
    prices: [4, 19],
  },
  {
    category: 'Chocolate',
    code: 'CHO',
    nouns: ['Milk Chocolate', 'Dark Chocolate', 'White Chocolate', 'Nut Chocolate'],
    kinds: ['Bar', 'Drops', 'Truffles', 'Thins', 'Spread'],
    prices: [2, 16],
  },
  {
    category: 'Kitchen',
    code: 'KIT',
    nouns: ['Moka Pot', 'Kettle', 'Grinder', 'Teapot', 'Scale', 'Whisk'],
    kinds: ['Small', 'Large', 'Steel', 'Copper'],
    prices: [18, 140],
  },
  {
    category: 'Tableware',
    code: 'TAB',
    nouns: ['Cup', 'Mug', 'Saucer', 'Plate', 'Bowl'],
    kinds: ['Plain', 'Speckled', 'Hand-painted', 'Glass', 'Enamel'],
    prices: [5, 38],
  },
  {
    category: 'Textiles',
    code: 'TEX',
    nouns: ['Apron', 'Tea Towel', 'Napkin', 'Table Runner', 'Tote Bag'],
    kinds: ['Linen', 'Cotton', 'Striped', 'Checked'],
    prices: [7, 45],
  },
  {
    category: 'Books',
    code: 'BOO',
    nouns: ['Book of Coffee', 'Book of Tea', 'Book of Cakes', 'Book of Bread'],
    kinds: ['Hardcover', 'Paperback', 'Pocket', 'Illustrated'],
    prices: [9, 48],
  },
  {
    category: 'Pantry',
    code: 'PAN',
    nouns: ['Honey', 'Apricot Jam', 'Shortbread', 'Almond Biscuits', 'Cane Sugar'],
    kinds: ['Jar', 'Box', 'Family Pack', 'Organic'],
    prices: [3, 21],
  },
  {
    category: 'Gifts',
    code: 'GIF',
    nouns: ['Breakfast Basket', 'Tea Time Box', 'Barista Set', 'Sweet Box', 'Picnic Hamper'],
    kinds: ['Small', 'Medium', 'Large'],
    prices: [24, 120],
  },
  {
    category: 'Workshops',
    code: 'WOR',
    nouns: ['Latte Art Workshop', 'Tea Tasting', 'Roasting Tour', 'Baking Class', 'Chocolate Evening'],
    kinds: ['Evening', 'Weekend'],
    prices: [35, 180],
    service: true,
  },
]

/** Companies: a first and a second word, and the town. */
export const firstWords = [
  'Harbour',
  'Linden',
  'Copper',
  'North',
  'Orchard',
  'Juniper',
  'Market',
  'Old Mill',
  'Riverside',
  'Sunny',
]
export const secondWords = ['Café', 'Hotel', 'Bakery', 'Bistro', 'Offices']

export const givenNames = [
  'Ada',
  'Bruno',
  'Clara',
  'Dario',
  'Elin',
  'Farid',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
]
export const familyNames = ['Albers', 'Brandt', 'Castel', 'Duval', 'Ekman']

export interface Town {
  readonly city: string
  readonly zip: string
  readonly country: string
}
export const towns: readonly Town[] = [
  { city: 'Lyon', zip: '69001', country: 'base.fr' },
  { city: 'Antwerp', zip: '2000', country: 'base.be' },
  { city: 'Porto', zip: '4000-001', country: 'base.pt' },
  { city: 'Bremen', zip: '28195', country: 'base.de' },
  { city: 'Utrecht', zip: '3511', country: 'base.nl' },
  { city: 'Portland', zip: '97201', country: 'base.us' },
  { city: 'Burlington', zip: '05401', country: 'base.us' },
]
export const streets = [
  'Canal Street',
  'Church Lane',
  'Station Road',
  'Garden Way',
  'Bridge Street',
  'Mill Lane',
]
