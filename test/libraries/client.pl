# Perl's RPC::XML::Client, with plain Perl values and with typed ones. Run by debian.test.ts with address, database, login and password.
use strict;
use warnings;
use utf8;
use MIME::Base64;
use RPC::XML;
use RPC::XML::Client;

$RPC::XML::ENCODING = 'utf-8';
my ($url, $db, $login, $password) = @ARGV;

sub same {
    my ($expected, $got, $about) = @_;
    die "$about: expected $expected, got " . (defined $got ? $got : 'nothing') . "\n" unless defined $got && $expected eq $got;
}

my $common = RPC::XML::Client->new("$url/xmlrpc/2/common");
same('19.0', $common->simple_request('version')->{server_version}, 'version');
my $uid = $common->simple_request('authenticate', $db, $login, $password, {});
same(2, $uid, 'authenticate');
same(0, $common->simple_request('authenticate', $db, $login, 'wrong', {}), 'a wrong password');

my $models = RPC::XML::Client->new("$url/xmlrpc/2/object");
my $kw = sub { $models->send_request('execute_kw', $db, $uid, $password, @_) };
my $id = $kw->('res.partner', 'create', [{ name => 'Perl', is_company => RPC::XML::boolean->new(1), zip => RPC::XML::string->new('04109') }])->value;
my $row = $kw->('res.partner', 'read', [[$id]], { fields => ['name', 'zip', 'is_company'] })->value->[0];
same('Perl', $row->{name}, 'name');
same('04109', $row->{zip}, 'a text of digits');
same(1, $row->{is_company}, 'a boolean');
same($id, $kw->('res.partner', 'search', [[['id', '=', $id]]], { limit => 1 })->value->[0], 'search');
same(1, $kw->('res.partner', 'search_count', [[['id', '=', $id]]])->value, 'search_count');
same(1, $kw->('res.partner', 'write', [[$id], { name => 'Newer' }])->value, 'write');
same('Newer', $kw->('res.partner', 'search_read', [[['id', '=', $id]]])->value->[0]{name}, 'search_read of all fields');
my $fault = $kw->('res.partner', 'write', [[$id], { country_id => 999_999 }]);
die "no fault\n" unless $fault->is_fault;
same(2, $fault->code, 'the code of a fault');
die "an unhelpful fault\n" unless $fault->string =~ /does not exist/;
same(1, $kw->('res.partner', 'unlink', [[$id]])->value, 'unlink');

# Requests made beforehand, typed values, handlers: what its documentation shows besides.
my $request = RPC::XML::request->new('execute_kw', $db, $uid, $password, 'res.partner', 'search_count', [[]]);
die "a request made beforehand\n" unless $models->send_request($request)->value > 0;
my $refused = $kw->('ir.attachment', 'create', [{ name => 'p.bin', datas => RPC::XML::base64->new("\x89PNG\r\n") }]);
die "bytes of the type that the service does not take\n" unless $refused->is_fault && $refused->string =~ /send bytes as base64 in a string/;
my $file = $kw->('ir.attachment', 'create', [{ name => 'p.bin', datas => encode_base64("\x89PNG\r\n") }])->value;
my $datas = $kw->('ir.attachment', 'read', [[$file], ['datas']])->value->[0]{datas};
same('iVBORw0K', $datas =~ s/\s//gr, 'bytes');
my $since = RPC::XML::datetime_iso8601->new('20000101T00:00:00');
my $typed = RPC::XML::struct->new(fields => RPC::XML::array->new(RPC::XML::string->new('name')), limit => RPC::XML::int->new(1));
my $domain = RPC::XML::array->new(RPC::XML::array->new('create_date', '>', $since));
same(1, scalar @{ $kw->('res.partner', 'search_read', RPC::XML::array->new($domain), $typed)->value }, 'typed values');
$id = $kw->('res.partner', 'create', [{ name => 'Né ☃ <&>', color => '3', active => RPC::XML::boolean->new('true'), partner_latitude => 1.5 }])->value;
$row = $kw->('res.partner', 'read', [$id, ['name', 'color', 'partner_latitude', 'email', 'category_id']])->value->[0];
same('Né ☃ <&>', $row->{name}, 'a name');
same(3, $row->{color}, 'digits are a number');
same(1.5, $row->{partner_latitude}, 'a double');
same(0, $row->{email}, 'nothing');
same(0, scalar @{ $row->{category_id} }, 'an empty list');
{
    local $RPC::XML::ALLOW_NIL = 1;
    same(1, $kw->('res.partner', 'write', [[$id], { comment => RPC::XML::nil->new, country_id => undef }])->value, 'nil');
}
my $heard = '';
my $handled = RPC::XML::Client->new("$url/xmlrpc/2/object", fault_handler => sub { $heard = $_[0]->string; return 'handled' });
same('handled', $handled->send_request('execute_kw', $db, $uid, 'wrong', 'res.partner', 'read', [[$id]]), 'a fault in a handler');
same('Access Denied', $heard, 'a wrong password');
$handled->error_handler(sub { return 'no fault, an error' });
same('handled', $handled->send_request('system.listMethods'), 'an unknown call is a fault');
same('no fault, an error', do { $handled->uri("$url/nowhere"); $handled->send_request('version') }, 'a page that is not there');
same(1, $kw->('res.partner', 'unlink', [$id])->value, 'unlink of a lone id');
print "done\n";
