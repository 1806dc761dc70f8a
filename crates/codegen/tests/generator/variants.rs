//! What becomes of members that only requests or only answers carry, and which groups reach a type.

use frontdesk_codegen::ir::{Api, Content, Shape, Type, TypeDef, TypeId};
use frontdesk_codegen::lower;

use crate::fixtures::{document, options};

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: T, version: '1'}
tags: [{name: orders}, {name: nodes}]
paths:
  /orders:
    post:
      operationId: createOrder
      tags: [orders]
      requestBody: {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Order'}}}}}
      responses:
        '200': {description: Made., content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
  /nodes:
    put:
      operationId: putNode
      tags: [nodes]
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Sent'}}}}
      responses:
        '200': {description: Put., content: {application/json: {schema: {$ref: '#/components/schemas/Node'}}}}
x-webhooks:
  seen:
    post:
      operationId: seen
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Event'}}}}
      responses: {'200': {description: Taken.}}
components:
  schemas:
    Order:
      description: What was ordered.
      type: object
      required: [id, buyer]
      properties:
        id: {type: string, readOnly: true}
        token: {type: string, writeOnly: true}
        buyer: {$ref: '#/components/schemas/Buyer'}
        place: {$ref: '#/components/schemas/Place'}
        audit: {allOf: [{$ref: '#/components/schemas/Audit'}], readOnly: true}
        payment: {$ref: '#/components/schemas/Payment'}
    Buyer: {type: object, properties: {people: {type: array, items: {$ref: '#/components/schemas/Person'}}}}
    Person: {type: object, required: [age], properties: {age: {type: integer, readOnly: true}, name: {type: string}}}
    Place: {type: object, properties: {street: {type: string}}}
    Audit: {type: object, properties: {by: {type: string, readOnly: true}, note: {type: string, writeOnly: true}}}
    Payment: {oneOf: [{$ref: '#/components/schemas/Card'}, {$ref: '#/components/schemas/Bank'}]}
    Card: {type: object, required: [brand, number], properties: {brand: {type: string, readOnly: true}, number: {type: string}}}
    Bank: {type: object, required: [iban], properties: {iban: {type: string}}}
    Node:
      type: object
      properties:
        id: {type: string, readOnly: true}
        up: {$ref: '#/components/schemas/Node'}
        below: {type: array, items: {$ref: '#/components/schemas/Node'}}
    Sent: {type: object, properties: {at: {type: string, readOnly: true}, node: {$ref: '#/components/schemas/Node'}}}
    Event: {type: object, properties: {id: {type: string, readOnly: true}, key: {type: string, writeOnly: true}}}
    Unused: {type: object, properties: {id: {type: string, readOnly: true}, key: {type: string, writeOnly: true}}}
";

fn api() -> Api {
    lower(&document(DOCUMENT), &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"))
}

fn def<'a>(api: &'a Api, name: &str) -> &'a TypeDef {
    api.types.iter().find(|def| def.name == name).unwrap_or_else(|| panic!("there is no {name}"))
}

fn shown(api: &Api, ty: &Type) -> String {
    let name = |id: TypeId| &api.type_def(id).name;
    match ty {
        Type::List(entry) => format!("[{}]", shown(api, &entry.ty)),
        Type::Named(id) => name(*id).clone(),
        Type::Boxed(id) => format!("Box {}", name(*id)),
        other => format!("{other:?}"),
    }
}

/// The members of a struct, or the branches of a union, with what they hold.
fn parts(api: &Api, name: &str) -> Vec<String> {
    match &def(api, name).shape {
        Shape::Struct(shape) => shape
            .fields
            .iter()
            .map(|field| format!("{}: {}", field.wire, shown(api, &field.element.ty)))
            .collect(),
        Shape::Union(shape) => shape.branches.iter().map(|branch| shown(api, &branch.element.ty)).collect(),
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn a_type_of_both_sides_has_a_form_for_each() {
    let api = api();
    assert_eq!(
        parts(&api, "Order"),
        ["id: String", "buyer: Buyer", "place: Place", "audit: Audit", "payment: Payment"]
    );
    assert_eq!(
        parts(&api, "OrderInput"),
        ["token: String", "buyer: BuyerInput", "place: Place", "payment: PaymentInput"]
    );
    assert_eq!(parts(&api, "Buyer"), ["people: [Person]"]);
    assert_eq!(parts(&api, "BuyerInput"), ["people: [PersonInput]"]);
    assert_eq!(parts(&api, "Person"), ["age: I64", "name: String"]);
    assert_eq!(parts(&api, "PersonInput"), ["name: String"]);
    let input = def(&api, "OrderInput");
    assert_eq!(input.root_module, def(&api, "Order").root_module);
    assert_eq!(input.docs.as_deref(), Some("What was ordered.\n\nThe form of `Order` that requests send."));
    let create = api.operations().find(|operation| operation.id == "createOrder").unwrap();
    let body = create.body.as_ref().unwrap().payload.json().unwrap();
    assert_eq!(shown(&api, &body.ty), "[OrderInput]");
    let Content::Body(answer) = &create.successes[0].content else { panic!("{:?}", create.successes) };
    assert_eq!(shown(&api, &answer.json().unwrap().ty), "Order");
}

#[test]
fn a_type_that_holds_itself_has_a_form_that_holds_itself() {
    let api = api();
    assert_eq!(parts(&api, "Node"), ["id: String", "up: Box Node", "below: [Node]"]);
    assert_eq!(parts(&api, "NodeInput"), ["up: Box NodeInput", "below: [NodeInput]"]);
}

#[test]
fn a_type_of_one_side_loses_members_in_place() {
    let api = api();
    assert_eq!(parts(&api, "Sent"), ["node: NodeInput"]);
    assert_eq!(parts(&api, "Audit"), ["by: String"], "requests do not reach it");
    assert_eq!(parts(&api, "Event"), ["id: String"], "the service sends it");
    assert_eq!(parts(&api, "Unused"), ["id: String", "key: String"], "nobody sends it");
    let made: Vec<&str> = api.types.iter().map(|def| def.name.as_str()).collect();
    for name in ["SentInput", "AuditInput", "EventInput", "UnusedInput", "PlaceInput", "BankInput"] {
        assert!(!made.contains(&name), "{name} differs from nothing");
    }
}

#[test]
fn branches_are_told_apart_by_members_that_the_side_has() {
    let api = api();
    let required = |name: &str| -> Vec<Vec<String>> {
        let Shape::Union(union) = &def(&api, name).shape else { panic!("{name} is no union") };
        union.branches.iter().map(|branch| branch.test.required.clone()).collect()
    };
    assert_eq!(parts(&api, "PaymentInput"), ["CardInput", "Bank"]);
    assert_eq!(required("Payment"), [vec!["brand", "number"], vec!["iban"]]);
    assert_eq!(required("PaymentInput"), [["number"], ["iban"]]);
}

#[test]
fn types_know_their_sides_and_groups() {
    let api = api();
    let told = |name: &str| {
        let def = def(&api, name);
        (def.usage.request, def.usage.response, def.groups.clone())
    };
    assert_eq!(told("Order"), (false, true, vec![0]));
    assert_eq!(told("PersonInput"), (true, false, vec![0]));
    assert_eq!(told("Place"), (true, true, vec![0]));
    assert_eq!(told("NodeInput"), (true, false, vec![1]));
    assert_eq!(told("Event"), (false, true, vec![]));
    assert_eq!(told("Unused"), (false, false, vec![]));
}
