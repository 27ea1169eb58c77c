# Perl's RPC::XML::Client, with plain Perl values and with typed ones. Run by debian.test.ts with address, database, login and password.
use strict;
use warnings;
use utf8;
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
print "done\n";
